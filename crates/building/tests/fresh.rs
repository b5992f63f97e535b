//! When a stamp says that a program is up to date. What `start` makes of it is in `start.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use building::Stamp;

/// Makes a file so many seconds old.
fn put(file: &Path, seconds: u64) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "").unwrap();
    let file = fs::File::options().append(true).open(file).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

#[test]
fn a_folder_of_sources_and_another_program_are_noticed() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fresh");
    let _ = fs::remove_dir_all(&root);
    let at = |rel: &str| root.join(rel);
    let old = ["Cargo.toml", "src/main.rs", "src/headers/deep/a.h", "this"];
    old.iter().for_each(|rel| put(&at(rel), 100));
    let program = at("target/debug/program");
    put(&program, 50);
    let name = |path: PathBuf| path.display().to_string().replace(' ', "\\ ");
    let [listed, main, headers] = [program.clone(), at("src/main.rs"), at("src/headers")].map(name);
    let listed = format!("{listed}: {main} {headers}\n");
    fs::write(at("target/debug/program.d"), listed).unwrap();
    let others: [PathBuf; 1] = [at("this")];
    let stamp = Stamp::at(at("target/lab/built/program"));
    let fresh = || stamp.fresh(&root, &others);
    assert_eq!(fresh(), None, "there was no build");
    let begun = stamp.begin().unwrap();
    assert_eq!(fresh(), None, "a build that did not end is none");
    begun.ended(&program).unwrap();
    // Folders were made a moment ago.
    let stamp_file = fs::File::options().append(true).open(at("target/lab/built/program")).unwrap();
    stamp_file.set_modified(SystemTime::now() + Duration::from_secs(100)).unwrap();
    assert_eq!(fresh(), Some(program.clone()));
    let young = fs::File::options().append(true).open(at("src/headers/deep/a.h")).unwrap();
    young.set_modified(SystemTime::now() + Duration::from_secs(200)).unwrap();
    assert_eq!(fresh(), None, "a file in a folder that is listed");
    put(&at("src/headers/deep/a.h"), 100);
    assert_eq!(fresh(), Some(program.clone()));
    put(&program, 40);
    assert_eq!(fresh(), None, "who builds by hand may choose other features");
}
