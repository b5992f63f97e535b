//! A class of forty, made by this script: given the pack, handed in, graded, given back. What the
//! commands write must agree, whoever was good, bad, late, hostile, empty or zipped.

use std::fs;
use std::path::Path;

use lab1_checks::LAB;
use serde_json::Value;

use crate::command::{Course, course, repository};

/// Exercises of lab 1 that need no host code.
const KERNELS: [&str; 4] = ["1.1.1", "1.1.7", "1.1.10", "1.1.15"];
const STUDENTS: usize = 40;

/// The students' pack, as `cargo lab export` writes it.
fn pack() -> Course {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().display().to_string();
    let lab = std::process::Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["export", &to])
        .current_dir(repository())
        .output()
        .unwrap();
    assert_eq!(lab.status.code(), Some(0), "{}", String::from_utf8_lossy(&lab.stderr));
    Course { dir }
}

/// What the k-th student makes of the pack and hands in, and under which name.
fn hand_in(pack: &Course, class: &Path, k: usize) -> String {
    let name = match k % 8 {
        5 => format!("Student {k:02}_{}_assignsubmission_file", 1000 + k),
        _ => format!("s{k:02}"),
    };
    let dir = class.join(&name);
    let folder = dir.join(LAB.package);
    pack.lab(&["reset", "lab1"]);
    let kernel = pack.file("kernels/e1_1_01.cu");
    let solved = match k % 8 {
        0 | 3 | 5 | 6 => KERNELS.len(),
        7 => 1 + k / 8 % 3,
        _ => 1,
    };
    // A pack has no solutions: the student finds them.
    let solutions = repository().join("solutions").join(LAB.package);
    for number in &KERNELS[..solved] {
        for rel in LAB.exercise(number).unwrap().files {
            fs::copy(solutions.join(rel), pack.file(rel)).unwrap();
        }
    }
    let mut text = fs::read_to_string(&kernel).unwrap();
    match k % 8 {
        1 => text = text.replace("a[i] + b[i]", "a[i]"),
        4 if k % 16 == 4 => text = text.replace("c[i] =", "while (1) c[i] ="),
        _ => {}
    }
    fs::write(&kernel, text).unwrap();
    match k % 8 {
        2 => match k / 8 {
            0 => fs::create_dir(dir).unwrap(),
            1 => fs::write(format!("{}.zip", dir.display()), b"").unwrap(),
            2 => fs::write(format!("{}.zip", dir.display()), b"PK\x03\x04 broken").unwrap(),
            _ => {
                fs::create_dir(&dir).unwrap();
                fs::write(dir.join("report.pdf"), b"%PDF-1.4").unwrap();
            }
        },
        0 => {
            grading::overlay::overlay(&LAB, &pack.file(""), &[].into(), &folder).unwrap();
            let times = format!("{{\"L1-1.1.1\": {k}, \"L9-9\": 1, \"L1-1.1.2\": 99999999}}");
            fs::write(folder.join("times.json"), times).unwrap();
        }
        3 => {
            let zip = format!("{}.zip", dir.display());
            assert_eq!(pack.lab(&["handin", "lab1", &zip]).status.code(), Some(0));
        }
        // The files themselves, where Moodle puts them.
        5 => grading::overlay::overlay(&LAB, &pack.file(""), &[].into(), &dir).unwrap(),
        _ => grading::overlay::overlay(&LAB, &pack.file(""), &[].into(), &folder).unwrap(),
    }
    if k % 16 == 12 {
        fs::write(folder.join("kernels/e1_1_01.cu"), b"\xff\xfe\0").unwrap();
        fs::write(folder.join("results.json"), "{\"score\": 100}").unwrap();
    }
    name
}

fn rows(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.trim_end().split(',').collect()).collect()
}

/// A number of hundredths, as the reports write points.
fn hundredths(text: &str) -> u64 {
    (text.parse::<f64>().unwrap() * 100.0).round() as u64
}

#[test]
fn the_sums_of_a_class_of_forty_agree_everywhere() {
    let (course, pack) = (course(), pack());
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let class = dir.path().join("class");
    fs::create_dir(&class).unwrap();
    let names: Vec<String> = (0..STUDENTS).map(|k| hand_in(&pack, &class, k)).collect();
    let mut list = "Identifier,Full name,Grade,Maximum grade\n".to_string();
    let mut gradebook = "Student;ID;SIS User ID;SIS Login ID;Section;lab1 (77)\n".to_string();
    gradebook += "    Points Possible;;;;;20\n";
    let mut rules = "left_out = [\"1.1.15\"]\nsecret = \"a word of forty\"\n[labs.lab1]\n\
        deadline = 2026-10-01T12:00:00Z\nper_day = 50\n[labs.lab1.handed_in]\n"
        .to_string();
    for (k, name) in names.iter().enumerate() {
        let full = if k % 8 == 5 { format!("Student {k:02}") } else { name.clone() };
        list += &format!("Participant {},{full},,50\n", 1000 + k);
        gradebook += &format!("{full};{};{name};{name};S;\n", 1000 + k);
        if k % 8 == 6 {
            rules += &format!("{name} = 2026-10-02T11:00:00Z\n");
        }
    }
    fs::write(at("list.csv"), list + "Participant 7,Nobody,,50\n").unwrap();
    fs::write(at("gradebook.csv"), gradebook).unwrap();
    fs::write(at("course.toml"), rules).unwrap();
    let grade = |more: &[&str]| {
        let (class, rules) = (at("class"), at("course.toml"));
        let mut args = vec!["grade", "lab1", "--submissions", &class, "--trust", "--rules", &rules];
        args.extend(more);
        let output = course.lab(&args);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        said
    };
    let said = grade(&[
        "--json",
        &at("marks.json"),
        "--roster",
        &at("list.csv"),
        "--csv",
        &at("moodle.csv"),
        "--html",
        &at("class.html"),
        "--feedback",
        &at("feedback"),
        "--gradescope",
        &at("scope"),
        "--statistics",
        &at("statistics.txt"),
    ]);
    assert!(said.contains("without a submission, left as they were: Nobody"), "{said}");
    grade(&["--csv", &at("table.csv")]);
    grade(&["--roster", &at("gradebook.csv"), "--csv", &at("canvas.csv")]);
    let read = |name: &str| fs::read_to_string(at(name)).unwrap();
    let marks: Vec<Value> = serde_json::from_str(&read("marks.json")).unwrap();
    let (table, moodle) = (read("table.csv"), read("moodle.csv"));
    let (table, moodle) = (rows(&table), rows(&moodle));
    let canvas = read("canvas.csv");
    let page = read("class.html");
    assert_eq!((marks.len(), table.len(), moodle.len()), (STUDENTS, STUDENTS + 1, STUDENTS + 2));
    let mut sum = 0;
    for (k, name) in names.iter().enumerate() {
        let one = marks.iter().find(|m| m["name"] == **name).unwrap();
        let lab = &one["labs"][0];
        let (earned, points) = (lab["earned"].to_string(), lab["points"].to_string());
        let row = table.iter().find(|row| row[0] == *name).unwrap();
        assert_eq!(&row[1..3], [&earned, &points], "{name}");
        let exercises: u64 = row[3..].iter().map(|cell| hundredths(cell)).sum();
        let late = k % 8 == 6;
        assert_eq!(
            hundredths(&earned),
            if late { exercises.div_ceil(2) } else { exercises },
            "{name}"
        );
        sum += exercises;
        let row = moodle.iter().find(|row| row[0] == format!("Participant {}", 1000 + k)).unwrap();
        let grade = 50.0 * hundredths(&earned) as f64 / hundredths(&points) as f64;
        assert!((row[2].parse::<f64>().unwrap() - grade).abs() < 0.006, "{row:?}: {grade}");
        // Of 20 points there, of 50 here.
        let row = canvas.lines().find(|row| row.contains(&format!(";{};", 1000 + k))).unwrap();
        let there: f64 = row.rsplit(';').next().unwrap().parse().unwrap();
        assert!((there - grade * 0.4).abs() < 0.006, "{row}: {grade}");
        let own = read(&format!("feedback/{name}/feedback.html"));
        let head = format!("{earned} / {points}</span></h2>");
        assert!(own.contains(&head) && page.contains(&head), "{name}");
        let others = names.iter().filter(|other| *other != name).find(|other| own.contains(*other));
        assert_eq!(others, None, "{name}'s page names another");
        let results: Value =
            serde_json::from_str(&read(&format!("scope/{name}/results.json"))).unwrap();
        assert_eq!(results["score"], lab["earned"], "{name}");
        // Who did nothing has nothing; who did all of these has their points but for 1.1.15.
        match k % 8 {
            0 | 3 | 5 => assert_eq!(hundredths(&earned), of(&KERNELS[..3]), "{name}"),
            1 | 2 | 4 => assert_eq!(hundredths(&earned), 0, "{name}"),
            _ => assert!(hundredths(&earned) > 0, "{name}"),
        }
    }
    // Means times forty, each rounded to a hundredth.
    let text = read("statistics.txt");
    let means = text.lines().filter(|line| line.starts_with("L1-") && line.contains('/'));
    let mean = |line: &str| hundredths(line.split_whitespace().nth(1)?.split('/').next()?).into();
    let means: Vec<Option<u64>> = means.map(mean).collect();
    let total: u64 = means.iter().flatten().map(|mean| mean * STUDENTS as u64).sum();
    assert!(total.abs_diff(sum) <= STUDENTS as u64 * means.len() as u64 / 2, "{total} {sum}");
    assert!(!text.contains("L1-1.1.15 ") && text.contains("40 submissions"), "{text}");
    // What five of them say of their time.
    assert!(text.contains("\nL1-1.1.1            5      8     16     24\n"), "{text}");
    assert!(!text.contains("\nL1-1.1.2            5"), "{text}");
    // Other rules: whose mark moves is listed, and why; nobody else's.
    let rules = read("course.toml").replace("per_day = 50", "per_day = 25");
    fs::write(at("course.toml"), rules).unwrap();
    let said = grade(&["--moved", &at("moved.csv")]);
    let moved = read("moved.csv");
    let moved = rows(&moved);
    assert_eq!(moved.len(), 1 + STUDENTS / 8, "{moved:?}");
    for row in &moved[1..] {
        let k: usize = row[0].trim_start_matches('s').parse().unwrap();
        assert_eq!((k % 8, row[6]), (6, "other rules"), "{row:?}");
        assert!(hundredths(row[2]) < hundredths(row[4]), "{row:?}");
        let line = format!("moved: {}: lab1 {} / {} -> {}", row[0], row[2], row[3], row[4]);
        assert!(said.contains(&line), "{said}");
    }
    // On the terminal statistics stand behind the summary, which is not lost.
    let said = grade(&["--statistics"]);
    assert!(said.contains("40 kept from an earlier call") && said.contains("\n40 submissions\n"));
    assert!(!said.contains("moved:"), "{said}");
}

#[test]
fn times_are_handed_in_if_the_student_wants_it() {
    let course = course();
    let dir = tempfile::tempdir().unwrap();
    course.solve("1.1.1");
    assert_eq!(course.lab(&["run", "1.1.1"]).status.code(), Some(0));
    let zip = |name: &str, more: &[&str]| {
        let file = dir.path().join(name).display().to_string();
        let said = course.says(&[&["handin", "lab1", &file], more].concat());
        let bytes = fs::read(file).unwrap();
        (said, bytes.windows(10).any(|w| w == b"times.json"))
    };
    let (said, there) = zip("with.zip", &["--times"]);
    assert!(there && said.contains("and times.json: minutes spent on 1 exercises"), "{said}");
    let (said, there) = zip("without.zip", &[]);
    assert!(!there && !said.contains("times.json"), "{said}");
}

/// Points of exercises, in hundredths.
fn of(exercises: &[&str]) -> u64 {
    exercises.iter().map(|e| u64::from(LAB.exercise(e).unwrap().points) * 100).sum()
}

#[test]
fn copies_with_other_names_are_found_and_nobody_is_accused() {
    let course = course();
    let class = tempfile::tempdir().unwrap();
    for (name, from, to) in [("ann", "x", "x"), ("bob", "int i", "int index"), ("cy", "", "")] {
        let folder = class.path().join(name).join(LAB.package);
        if name == "cy" {
            course.lab(&["reset", "lab1"]);
        } else {
            course.solve("1.1.15");
        }
        let changed = fs::read_to_string(course.file("kernels/add.cl")).unwrap();
        let more = "for (int a = 3; a < n * 7; a += 2) \
            { if (a % 5 == s) s -= a << 1; else s ^= a + n; }\n";
        let changed = match name {
            "cy" => changed,
            _ => changed.replace("// lab>", &format!("{more}// lab>")).replace(from, to),
        };
        let changed = [("kernels/add.cl".to_string(), changed)].into();
        grading::overlay::overlay(&LAB, &course.file(""), &changed, &folder).unwrap();
    }
    let dir = class.path().display().to_string();
    let page = tempfile::tempdir().unwrap();
    let page = page.path().join("pairs.html");
    let text = course.says(&["similar", &dir, "lab1", "--html", &page.display().to_string()]);
    assert!(text.contains("100 %  ann and bob: kernels/add.cl"), "{text}");
    assert!(
        text.contains("3 submissions, 1 pairs to look at") && text.contains("no proof"),
        "{text}"
    );
    assert!(fs::read_to_string(page).unwrap().contains("<mark>"));
    let output = course.lab(&["similar", &dir, "lab9"]);
    assert_eq!(output.status.code(), Some(2));
}
