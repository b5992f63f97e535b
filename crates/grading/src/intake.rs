//! What came in: finds the lab's files in a folder or an archive that a stranger has filled, and
//! reads those that the lab lists, if they are plain, small and text. Nothing is unpacked.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::report::reorders;
use crate::{Lab, Place, overlay, region};

/// Largest file that is taken, in bytes.
pub const MAX_FILE: u64 = 1 << 20;
/// Largest archive that is opened, in bytes.
const MAX_ARCHIVE: u64 = 64 << 20;
/// Most names in a submission that are looked at, and how deep they may lie.
const MAX_NAMES: usize = 20_000;
const MAX_DEPTH: usize = 8;
/// Archives in a folder that are opened.
const MAX_ARCHIVES: usize = 4;
/// Most names that a warning lists.
const MAX_LISTED: usize = 8;
/// Endings of archives that are not read.
const OTHER_ARCHIVES: [&str; 8] = ["7z", "rar", "tar", "gz", "tgz", "xz", "bz2", "zst"];

/// File beside the lab's, in which a student may say how many minutes each exercise took, by id.
pub const TIMES: &str = "times.json";
/// Most minutes that are believed.
const MOST_MINUTES: u32 = 6000;

/// What was taken of a submission.
#[derive(Debug, Default)]
pub struct Taken {
    /// Minutes by exercise id, as the student says.
    pub minutes: BTreeMap<String, u32>,
    /// Why listed files were not taken, by file; their skeletons stand in for them.
    pub notes: BTreeMap<String, String>,
    /// What the instructor should know.
    pub warnings: Vec<String>,
}

/// Copies the listed files of a submission, a folder or a zip archive, to `to`; a file that is not
/// taken is replaced by its skeleton.
///
/// # Errors
/// If a file cannot be written or has no skeleton: nothing about the submission is an error.
pub fn collect(place: &Place, lab: &Lab, submission: &Path, to: &Path) -> Result<Taken, String> {
    let mut taken = Taken::default();
    let listed = lab.files();
    let mut source = Source::open(lab, submission, &mut taken.warnings);
    let mut elsewhere = Vec::new();
    for rel in listed {
        let skeleton = place.skeleton(lab, rel)?;
        let text = match source.take(rel) {
            Ok(text) => {
                if let Some(line) = region::outside(&text, &skeleton, region::comment_of(rel)) {
                    elsewhere.push(format!("{rel}:{line}"));
                }
                text
            }
            Err(why) => {
                taken.notes.insert(rel.to_string(), format!("{rel} {why}"));
                skeleton
            }
        };
        overlay::write(&to.join(rel), &text)?;
    }
    taken.minutes = source.take(TIMES).map(|text| minutes(lab, &text)).unwrap_or_default();
    if !elsewhere.is_empty() {
        let list = some_of(&elsewhere);
        taken.warnings.push(format!("changed outside of the marked regions: {list}"));
    }
    Ok(taken)
}

/// What a file of times says of the lab's exercises.
fn minutes(lab: &Lab, text: &str) -> BTreeMap<String, u32> {
    let mut minutes: BTreeMap<String, u32> = serde_json::from_str(text).unwrap_or_default();
    minutes.retain(|id, minutes| {
        *minutes <= MOST_MINUTES && lab.exercises.iter().any(|exercise| exercise.id == *id)
    });
    minutes
}

/// Signs that nobody sees, by which two names differ that look alike. (Those that join letters,
/// which some languages need, are none.)
fn is_unseen(c: char) -> bool {
    let ranges = ['\u{2060}'..='\u{2064}', '\u{e0000}'..='\u{e007f}'];
    ['\u{ad}', '\u{200b}', '\u{feff}'].contains(&c) || ranges.iter().any(|r| r.contains(&c))
}

/// A name that a terminal can be shown.
pub(crate) fn shown(name: &OsStr) -> String {
    let mut out = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() || reorders(c) || is_unseen(c) {
                out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|b| format!("\\x{b:02x}")));
            } else {
                out.push(c);
            }
        }
        out.extend(chunk.invalid().iter().map(|b| format!("\\x{b:02x}")));
    }
    out
}

/// True if `dir` has a file of the lab where the lab's own folder has it.
pub fn is_lab_folder(lab: &Lab, dir: &Path) -> bool {
    lab.files().iter().any(|rel| fs::symlink_metadata(dir.join(rel)).is_ok_and(|m| m.is_file()))
}

/// Where a submission's files are.
enum Source {
    Folder { root: PathBuf },
    Zip { archive: Box<ZipArchive<BufReader<File>>>, names: BTreeMap<String, usize>, root: String },
}

impl Source {
    fn open(lab: &Lab, submission: &Path, warnings: &mut Vec<String>) -> Source {
        let nothing = || Source::Folder { root: submission.to_path_buf() };
        if !fs::symlink_metadata(submission).is_ok_and(|m| m.is_dir()) {
            return open_zip(lab, submission, warnings).unwrap_or_else(|| {
                warnings.push(format!("there is no file of {} in the archive: 0 points", lab.id));
                nothing()
            });
        }
        let seen = Seen::below(submission);
        if seen.cut {
            warnings.push(format!(
                "more than {MAX_NAMES} names, or folders in more than {MAX_DEPTH} folders: \
                 the rest was not looked at"
            ));
        }
        if let Some(root) = best_root(lab, &seen.names, warnings) {
            return Source::Folder { root: submission.join(root) };
        }
        let zips: Vec<&String> = seen.names.iter().filter(|n| has_ending(n, &["zip"])).collect();
        for name in zips.iter().take(MAX_ARCHIVES) {
            if let Some(source) = open_zip(lab, &submission.join(name), warnings) {
                return source;
            }
        }
        let mut text = format!("there is no file of {} in it: 0 points", lab.id);
        let mut odd: Vec<String> = seen.links.iter().map(|l| format!("{l} is a link")).collect();
        let archives = seen.names.iter().filter(|n| has_ending(n, &OTHER_ARCHIVES));
        odd.extend(archives.map(|n| format!("{n} must be unpacked: only zip archives are read")));
        if !odd.is_empty() {
            text += &format!(" ({})", shown(OsStr::new(&some_of(&odd))));
        }
        warnings.push(text);
        nothing()
    }

    /// The text of a listed file.
    ///
    /// # Errors
    /// Why it is not taken, in words that follow the file's name.
    fn take(&mut self, rel: &str) -> Result<String, String> {
        let bytes = match self {
            Source::Folder { root } => read_below(root, rel)?,
            Source::Zip { archive, names, root } => {
                let at = *names.get(&(root.clone() + rel)).ok_or("is missing")?;
                read_packed(archive, at)?
            }
        };
        let text = String::from_utf8(bytes).map_err(|e| {
            format!("is not UTF-8 text (byte {}): refused", e.utf8_error().valid_up_to())
        })?;
        match text.find('\0') {
            Some(at) => Err(format!("is not text (a zero at byte {at}): refused")),
            None => Ok(text),
        }
    }
}

fn read_below(root: &Path, rel: &str) -> Result<Vec<u8>, String> {
    let mut path = root.to_path_buf();
    let mut parts = rel.split('/').peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let data = fs::symlink_metadata(&path).map_err(|_| "is missing".to_string())?;
        let kind = data.file_type();
        if kind.is_symlink() {
            return Err("is, or lies behind, a symbolic link: refused".into());
        }
        if parts.peek().is_none() {
            if !kind.is_file() {
                return Err("is not a plain file: refused".into());
            }
            if data.len() > MAX_FILE {
                return Err(too_large(data.len()));
            }
        }
    }
    sandbox::read_plain(&path, MAX_FILE).map_err(|e| format!("is refused: {e}"))
}

fn read_packed<R: Read + std::io::Seek>(
    archive: &mut ZipArchive<R>,
    at: usize,
) -> Result<Vec<u8>, String> {
    let refused = |e: &dyn std::fmt::Display| format!("is refused: {e}");
    let file = archive.by_index(at).map_err(|e| refused(&e))?;
    if !file.is_file() {
        return Err("is not a plain file: refused".into());
    }
    let mut bytes = Vec::new();
    // What the archive says of the size is a stranger's word.
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|e| refused(&e))?;
    if bytes.len() as u64 > MAX_FILE { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

fn too_large(bytes: u64) -> String {
    format!("has {bytes} bytes, more than {MAX_FILE}: refused")
}

/// The archive, if a file of the lab is in it.
fn open_zip(lab: &Lab, path: &Path, warnings: &mut Vec<String>) -> Option<Source> {
    let name = path.file_name().map(shown).unwrap_or_default();
    let mut refuse = |why: &str| {
        warnings.push(format!("{name} is not read: {why}"));
        None
    };
    let data = match fs::symlink_metadata(path) {
        Ok(data) if data.is_file() => data,
        _ => return refuse("it is not a plain file"),
    };
    if data.len() > MAX_ARCHIVE {
        return refuse(&format!("it has {} bytes, more than {MAX_ARCHIVE}", data.len()));
    }
    let opened = File::open(path).map_err(|e| e.to_string()).and_then(|file| {
        ZipArchive::new(BufReader::new(file)).map_err(|e| format!("it is no zip archive ({e})"))
    });
    let archive = match opened {
        Ok(archive) => archive,
        Err(why) => return refuse(&why),
    };
    if archive.len() > MAX_NAMES {
        return refuse(&format!("it has {} names, more than {MAX_NAMES}", archive.len()));
    }
    let mut names = BTreeMap::new();
    for at in 0..archive.len() {
        // Some programs write the separators of Windows.
        let name = archive.name_for_index(at).unwrap_or_default().replace('\\', "/");
        if !name.ends_with('/') {
            names.insert(name, at);
        }
    }
    let list: Vec<String> = names.keys().cloned().collect();
    let root = best_root(lab, &list, warnings)?;
    let root = if root.is_empty() { root } else { root + "/" };
    Some(Source::Zip { archive: Box::new(archive), names, root })
}

/// What lies in a folder: paths with `/`, all that are no folders, and apart from these what is a
/// link.
#[derive(Default)]
struct Seen {
    names: Vec<String>,
    links: Vec<String>,
    /// Names of all kinds.
    looked: usize,
    cut: bool,
}

impl Seen {
    fn below(dir: &Path) -> Seen {
        let mut seen = Seen::default();
        seen.look(dir, "", 0);
        seen.names.sort();
        seen.links.sort();
        seen
    }

    fn look(&mut self, dir: &Path, prefix: &str, depth: usize) {
        for entry in fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok) {
            self.looked += 1;
            if self.looked > MAX_NAMES {
                self.cut = true;
                return;
            }
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            // What editors, systems and cargo leave.
            if name.starts_with('.') || name == "target" || name == "__MACOSX" {
                continue;
            }
            let path = format!("{prefix}{name}");
            if !kind.is_dir() {
                if kind.is_symlink() {
                    self.links.push(path.clone());
                }
                self.names.push(path);
            } else if depth < MAX_DEPTH {
                self.look(&entry.path(), &format!("{path}/"), depth + 1);
            } else {
                self.cut = true;
            }
        }
    }
}

/// The folder in which the lab's files lie: one that is called as the lab, else that with most of
/// them.
fn best_root(lab: &Lab, names: &[String], warnings: &mut Vec<String>) -> Option<String> {
    let mut roots: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names.iter().filter(|name| !name.starts_with("__MACOSX/")) {
        for rel in lab.files() {
            let root = match name.strip_suffix(rel) {
                Some("") => "",
                Some(before) if before.ends_with('/') => &before[..before.len() - 1],
                _ => continue,
            };
            *roots.entry(root).or_default() += 1;
        }
    }
    let called = |root: &str| root == lab.package || root.ends_with(&format!("/{}", lab.package));
    let best = roots
        .iter()
        .map(|(root, files)| (*root, *files))
        .min_by_key(|(root, files)| {
            let depth = root.split('/').filter(|part| !part.is_empty()).count();
            (!called(root), usize::MAX - files, depth, *root)
        })?
        .0;
    // Folders of a lab as the pack has it: whoever hands in the whole lab hands them in, too.
    let given = |root: &str| {
        let below = root.strip_prefix(best).map(|below| below.trim_start_matches('/'));
        below.is_some_and(|below| [".skeleton", "checks"].contains(&below))
    };
    let others = roots.keys().filter(|root| **root != best && !given(root));
    let others: Vec<String> = others.map(|root| in_words(root)).collect();
    if !others.is_empty() {
        let few = if others.len() > 2 { "; is this a folder of submissions?" } else { "" };
        warnings.push(format!(
            "files of {} lie in {} folders: those in {} were taken, not those in {}{few}",
            lab.id,
            others.len() + 1,
            in_words(best),
            some_of(&others)
        ));
    }
    Some(best.to_string())
}

fn in_words(root: &str) -> String {
    if root.is_empty() { "the top folder".into() } else { shown(OsStr::new(root)) }
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit('/').next().and_then(|last| last.rsplit_once('.'));
    ending.is_some_and(|(_, ending)| endings.iter().any(|e| ending.eq_ignore_ascii_case(e)))
}

fn some_of(all: &[String]) -> String {
    let mut text = all[..all.len().min(MAX_LISTED)].join(", ");
    if all.len() > MAX_LISTED {
        text += &format!(" and {} more", all.len() - MAX_LISTED);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::Exercise;

    const LAB: Lab = Lab {
        id: "x",
        package: "labx",
        title: "",
        host_bin: "x-host",
        device: None,
        nearly: &[],
        sources: &[],
        elsewhere: &[],
        exercises: &[Exercise {
            id: "X-1",
            key: "x1",
            title: "",
            points: 1,
            files: &["a.cu", "src/b.rs"],
            todo: "",
            hints: &[],
            checks: &[],
        }],
    };

    fn put(dir: &Path, names: &[&str]) {
        names.iter().for_each(|name| overlay::write(&dir.join(name), name).unwrap());
    }

    /// Text of `a.cu` or why it is not taken, and the warnings.
    fn taken(submission: &Path) -> (Result<String, String>, Vec<String>) {
        let mut warnings = Vec::new();
        let text = Source::open(&LAB, submission, &mut warnings).take("a.cu");
        (text, warnings)
    }

    #[test]
    fn only_plain_small_text_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
        put("good.cu", b"int a;\n");
        put("big.cu", &vec![b' '; MAX_FILE as usize + 1]);
        put("bytes.cu", b"ab\xff");
        put("zero.cu", b"ab\0");
        fs::create_dir(dir.path().join("dir.cu")).unwrap();
        fs::hard_link(dir.path().join("zero.cu"), dir.path().join("hard.cu")).unwrap();
        let mut source = Source::Folder { root: dir.path().to_path_buf() };
        assert_eq!(source.take("good.cu").unwrap(), "int a;\n");
        for (rel, why) in [
            ("none.cu", "is missing"),
            ("big.cu", "has 1048577 bytes"),
            ("bytes.cu", "UTF-8 text (byte 2)"),
            ("dir.cu", "not a plain file"),
            ("hard.cu", "hard link"),
        ] {
            assert!(source.take(rel).unwrap_err().contains(why), "{rel}");
        }
        fs::remove_file(dir.path().join("hard.cu")).unwrap();
        assert!(source.take("zero.cu").unwrap_err().contains("zero at byte 2"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link.cu")).unwrap();
            std::os::unix::fs::symlink("/etc", dir.path().join("linked")).unwrap();
            assert!(source.take("link.cu").unwrap_err().contains("symbolic link"));
            assert!(source.take("linked/passwd").unwrap_err().contains("symbolic link"));
        }
    }

    #[test]
    fn the_labs_files_are_found_where_students_put_them() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for (name, file) in [
            ("direct", "labx/a.cu"),
            ("top", "a.cu"),
            ("deep", "archive/course-main/labx/a.cu"),
            ("renamed", "my solution (2)/a.cu"),
        ] {
            put(&at(name), &[file, "notes.txt"]);
            assert_eq!(taken(&at(name)), (Ok(file.into()), vec![]), "{name}");
        }
        // The folder that is called as the lab, though another has more; and that is said.
        put(&at("two"), &["labx/a.cu", "old/a.cu", "old/src/b.rs"]);
        let (text, warnings) = taken(&at("two"));
        assert_eq!(text.unwrap(), "labx/a.cu");
        let want = "files of x lie in 2 folders: those in labx were taken, not those in old";
        assert_eq!(warnings, [want]);
        // The lab as the pack has it, and a folder of the student's beside it.
        let whole = ["labx/a.cu", "labx/src/b.rs", "labx/.skeleton/a.cu", "labx/checks/src/b.rs"];
        put(&at("whole"), &whole);
        assert_eq!(taken(&at("whole")), (Ok("labx/a.cu".into()), vec![]));
        put(&at("whole"), &["labx/old/a.cu"]);
        let want = "files of x lie in 2 folders: those in labx were taken, not those in labx/old";
        assert_eq!(taken(&at("whole")).1, [want]);
        put(&at("class"), &["ann/labx/a.cu", "bob/labx/a.cu", "cy/labx/a.cu", "di/labx/a.cu"]);
        let (_, warnings) = taken(&at("class"));
        assert!(warnings[0].ends_with("is this a folder of submissions?"), "{warnings:?}");
        // Nothing: never a silent zero.
        put(&at("nothing"), &["report.pdf", "work.tar.gz"]);
        let (text, warnings) = taken(&at("nothing"));
        assert_eq!(text.unwrap_err(), "is missing");
        let want = "there is no file of x in it: 0 points (work.tar.gz must be unpacked: \
            only zip archives are read)";
        assert_eq!(warnings, [want]);
        #[cfg(unix)]
        {
            fs::create_dir(at("linked")).unwrap();
            std::os::unix::fs::symlink(at("direct"), at("linked/archive")).unwrap();
            let (_, warnings) = taken(&at("linked"));
            assert!(warnings[0].ends_with("(archive is a link)"), "{warnings:?}");
        }
    }

    #[test]
    fn folders_without_files_are_names_too() {
        let dir = tempfile::tempdir().unwrap();
        ["a", "b/c", "d"]
            .iter()
            .for_each(|name| fs::create_dir_all(dir.path().join(name)).unwrap());
        let looked = |looked| {
            let mut seen = Seen { looked, ..Seen::default() };
            seen.look(dir.path(), "", 0);
            (seen.looked, seen.cut)
        };
        assert_eq!(looked(MAX_NAMES - 4), (MAX_NAMES, false));
        assert!(looked(MAX_NAMES - 3).1, "one too many");
    }

    #[test]
    fn archives_are_read_and_never_unpacked() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let zip = |name: &str, entries: &[(&str, &[u8])]| {
            let mut zip = zip::ZipWriter::new(File::create(at(name)).unwrap());
            let options = zip::write::SimpleFileOptions::default();
            for (name, bytes) in entries {
                zip.start_file(*name, options).unwrap();
                zip.write_all(bytes).unwrap();
            }
            zip.finish().unwrap();
        };
        zip("good.zip", &[("labx/a.cu", b"int a;"), ("__MACOSX/labx/a.cu", b"no")]);
        assert_eq!(taken(&at("good.zip")), (Ok("int a;".into()), vec![]));
        zip("windows.zip", &[("w\\labx\\a.cu", b"int a;")]);
        assert_eq!(taken(&at("windows.zip")), (Ok("int a;".into()), vec![]));
        // Names that lead out of the archive are names like others.
        zip("slip.zip", &[("../../../labx/a.cu", b"int a;"), ("/etc/cron.d/x", b"x")]);
        assert_eq!(taken(&at("slip.zip")).0, Ok("int a;".into()));
        zip("bomb.zip", &[("labx/a.cu", &vec![b' '; 50 << 20])]);
        assert!(fs::metadata(at("bomb.zip")).unwrap().len() < 100 << 10);
        assert!(taken(&at("bomb.zip")).0.unwrap_err().contains("more than 1048576"));
        zip("empty.zip", &[("readme.txt", b"")]);
        let (text, warnings) = taken(&at("empty.zip"));
        assert!(text.is_err());
        assert_eq!(warnings, ["there is no file of x in the archive: 0 points"]);
        fs::write(at("broken.zip"), "PK nonsense").unwrap();
        assert!(taken(&at("broken.zip")).1[0].starts_with("broken.zip is not read: it is no zip"));
        // Nobody unpacked it: an archive in the student's folder.
        put(&at("ann"), &["notes.txt"]);
        fs::rename(at("good.zip"), at("ann/Ann_123_lab.ZIP")).unwrap();
        assert_eq!(taken(&at("ann")), (Ok("int a;".into()), vec![]));
    }

    /// An archive of `labx/a.cu` with other bytes where `change` puts them; it is given where the
    /// file's local head, its central one, and the archive's end begin.
    fn spoilt(at: &Path, change: impl FnOnce(&mut Vec<u8>, [usize; 3])) {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        zip.start_file("labx/a.cu", options).unwrap();
        zip.write_all(b"int a;").unwrap();
        let mut bytes = zip.finish().unwrap().into_inner();
        let find = |head: &[u8]| bytes.windows(4).position(|w| w == head).unwrap();
        let heads = [find(b"PK\x01\x02"), find(b"PK\x05\x06")];
        change(&mut bytes, [0, heads[0], heads[1]]);
        fs::write(at, bytes).unwrap();
    }

    #[test]
    fn archives_that_lie_are_refused_or_read_as_what_they_hold() {
        type Lie<'l> = &'l dyn Fn(&mut Vec<u8>, [usize; 3]);
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("ann.zip");
        let text = |change: Lie<'_>| {
            spoilt(&at, change);
            taken(&at)
        };
        assert_eq!(text(&|_, _| ()).0, Ok("int a;".into()));
        let put = |bytes: &mut Vec<u8>, at: usize, new: &[u8]| {
            bytes[at..at + new.len()].copy_from_slice(new);
        };
        // What an entry says of itself: encrypted, packed in a way that nobody knows, of 4 GB, with
        // another sum, somewhere else, of another system, or as a link.
        let lies: [(&str, Lie<'_>); 8] = [
            ("encrypted", &|b, [local, central, _]| {
                put(b, local + 6, &[1]);
                put(b, central + 8, &[1]);
            }),
            ("way of packing", &|b, [local, central, _]| {
                put(b, local + 8, &[99]);
                put(b, central + 10, &[99]);
            }),
            ("of 4 GB", &|b, [_, central, _]| put(b, central + 20, &[0xfe; 8])),
            ("sum", &|b, [_, central, _]| put(b, central + 16, &[1, 2, 3, 4])),
            ("elsewhere", &|b, [_, central, _]| put(b, central + 42, &[0xf0, 0xff, 0xff, 0x7f])),
            ("a link", &|b, [_, central, _]| {
                put(b, central + 5, &[3]);
                put(b, central + 38, &(0o120_777u32 << 16).to_le_bytes());
            }),
            ("a folder", &|b, [_, central, _]| {
                put(b, central + 5, &[3]);
                put(b, central + 38, &(0o040_777u32 << 16).to_le_bytes());
            }),
            ("cut", &|b, [_, central, _]| b.truncate(central + 20)),
        ];
        for (what, lie) in lies {
            let (found, warnings) = text(lie);
            let told = format!("{found:?} {warnings:?}");
            let refused = found.is_err() && (told.contains("refused") || !warnings.is_empty());
            assert!(refused || found == Ok("int a;".into()), "{what}: {told}");
        }
        // What the end says: more files than there are, a comment that is not there, a zip64 record
        // of 2^60 files.
        for count in [2, 60_000, 0xffff] {
            text(&|b, [_, _, end]| put(b, end + 8, &[u16::to_le_bytes(count); 2].concat()))
                .0
                .unwrap_or_default();
        }
        text(&|b, [_, _, end]| put(b, end + 20, &[0xff, 0xff])).0.unwrap_or_default();
        let (found, _) = text(&|b, [_, central, end]| {
            let mut far = b"PK\x06\x06".to_vec();
            far.extend(44u64.to_le_bytes());
            far.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            far.extend(
                [1u64 << 60, 1 << 60, 1 << 60, central as u64].map(u64::to_le_bytes).concat(),
            );
            far.extend(b"PK\x06\x07\0\0\0\0");
            far.extend((end as u64).to_le_bytes());
            far.extend([1, 0, 0, 0]);
            put(b, end + 8, &[0xff; 4]);
            b.splice(end..end, far);
        });
        assert!(found.is_err() || found == Ok("int a;".into()), "{found:?}");
        // Something before it, as a program that unpacks itself has; an archive in an archive.
        let (found, _) = text(&|b, _| drop(b.splice(0..0, vec![b'#'; 1000])));
        assert_eq!(found, Ok("int a;".into()));
        let inner = fs::read(&at).unwrap();
        let mut zip = zip::ZipWriter::new(File::create(&at).unwrap());
        zip.start_file("labx.zip", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&inner).unwrap();
        zip.finish().unwrap();
        assert_eq!(taken(&at).1, ["there is no file of x in the archive: 0 points"]);
        // Names that are nearly the file's.
        for name in
            ["labx/A.cu", "LABX/a.CU", "labx/a.cu/", "labx/a.cu ", "labx/a.cu\0", "a.cu.zip"]
        {
            let mut zip = zip::ZipWriter::new(File::create(&at).unwrap());
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.finish().unwrap();
            assert!(taken(&at).0.is_err(), "{name:?}");
        }
    }

    #[test]
    fn times_are_read_as_far_as_they_are_times() {
        let times = |text: &str| minutes(&LAB, text);
        assert_eq!(times(r#"{ "X-1": 90 }"#), BTreeMap::from([("X-1".into(), 90)]));
        let nested = "[".repeat(100_000);
        for odd in [
            r#"{ "X-1": -1 }"#,
            r#"{ "X-1": 1e400 }"#,
            r#"{ "X-1": 6001 }"#,
            r#"{ "<script>": 5 }"#,
            r#"{ "X-1": { "X-1": 5 } }"#,
            r#"{ "X-1": 5 "#,
            "\u{feff}{}",
            &nested,
        ] {
            assert_eq!(times(odd), BTreeMap::new(), "{}", &odd[..odd.len().min(40)]);
        }
    }
}
