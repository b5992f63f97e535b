//! The given parts of the program julia: options, keys, the window's picture.

use lab1_cuda_intro::e1_2_01::{Key, View};
use lab1_cuda_intro::julia::device::Device;
use lab1_cuda_intro::julia::options::Options;
use lab1_cuda_intro::julia::session::{Action, MAX_KMAX, Press, Session, parse_keys};
use lab1_cuda_intro::julia::viewer::argb;

fn read(args: &[&str]) -> Result<Options, (String, u8)> {
    Options::read([&["julia"], args].concat())
}

#[test]
fn defaults_are_those_of_the_handout() {
    let o = read(&[]).unwrap();
    assert_eq!((o.device, o.dim, o.kmax), (Device::Cpu, 1000, 200));
    assert_eq!(o.view, View::default());
    let o = read(&["--view", "-0.5,0.25,1e-3", "--device", "gpu"]).unwrap();
    assert_eq!(o.view, View { dx: -0.5, dy: 0.25, scale: 1e-3 });
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    for (args, part) in [
        (vec!["--dim", "1"], "2..=16384"),
        (vec!["--dim", "16385"], "2..=16384"),
        (vec!["--kmax", "0"], "1..=65536"),
        (vec!["--view", "0,0,0"], "greater than 0"),
        (vec!["--view", "0,0,NaN"], "greater than 0"),
        (vec!["--view", "0,0"], "DX,DY,SCALE"),
        (vec!["--view", "inf,0,1"], "finite"),
        (vec!["--keys", "z q"], "key 2"),
        (vec!["--dim", "100", "--keys", "p@100,3"], "0..=99"),
    ] {
        let (text, code) = read(&args).unwrap_err();
        assert_eq!(code, 2, "{args:?}");
        assert!(text.contains(part), "{args:?}: {text}");
        assert_eq!(text.lines().count(), 1, "{args:?}: {text}");
    }
    assert_eq!(read(&["--colour"]).unwrap_err().1, 2);
    assert_eq!(read(&["--help"]).unwrap_err().1, 0);
}

#[test]
fn keys_are_read_with_their_mouse_and_errors_name_the_place() {
    let keys = parse_keys(" p@5,0  z Z = i I d s Esc ", 10).unwrap();
    assert_eq!(keys.len(), 9);
    assert_eq!(keys[0], Press { action: Action::View(Key::Pan), mouse: (5, 0) });
    assert_eq!(keys[8].action, Action::View(Key::Quit));
    assert_eq!(parse_keys("", 10).unwrap(), []);
    for (text, parts) in [
        ("z q", ["key 2", "`q`"]),
        ("p", ["key 1", "p@5,5"]),
        ("z z p@10,3", ["key 3", "0..=9"]),
        ("p@-1,3", ["key 1", "outside"]),
        ("p@4", ["key 1", "COLUMN,ROW"]),
        ("z@1,1", ["key 1", "only p"]),
        ("P@1,1", ["key 1", "no such key"]),
    ] {
        let error = parse_keys(text, 10).unwrap_err();
        assert!(parts.iter().all(|p| error.contains(p)), "{text}: {error}");
    }
}

#[test]
fn the_number_of_steps_stays_in_its_limits() {
    let mut s = Session { view: View::default(), kmax: 3, device: Device::Cpu, open: true };
    let mut press = |action| {
        s.press(Press { action, mouse: (0, 0) }, 10, |v, _, _, _| Some(*v));
        s.kmax
    };
    assert_eq!([press(Action::FewerSteps), press(Action::FewerSteps)], [1, 1]);
    for _ in 0..20 {
        press(Action::MoreSteps);
    }
    assert_eq!(press(Action::MoreSteps), MAX_KMAX);
}

#[test]
fn the_lowest_row_of_the_picture_is_the_last_of_the_window() {
    let picture = [255, 0, 0, 255, 0, 0, 0, 255, 0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(argb(&picture, 2), [0x0300_0102, 0x0704_0506, 0xffff_0000, 0xff00_0000]);
}
