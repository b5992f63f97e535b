//! Results that are kept are sealed: whoever has not the key, a file that only its owner may read,
//! cannot change one unnoticed.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use hmac_sha256::{HMAC, Hash};

/// Name of the key's file in the folder of the results.
const KEY: &str = "key";

/// The key of one folder of results.
#[derive(Clone)]
pub struct Seal(HMAC);

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

impl Seal {
    /// The key in `dir`; made at the first call. A key that is another user's, that others can
    /// read, or that is no plain file, is not taken: there is a new one then, and all results are
    /// graded again.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn of(dir: &Path) -> Result<Seal, String> {
        let path = dir.join(KEY);
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        fs::create_dir_all(dir).map_err(failed)?;
        // Twice: another batch may make it at the same time.
        for _ in 0..2 {
            if let Some(key) = own_key(&path) {
                return Ok(Seal::with(&key));
            }
            let mut key = [0; 32];
            getrandom::fill(&mut key).map_err(|e| format!("no random numbers: {e}"))?;
            let _ = fs::remove_file(&path);
            let mut options = File::options();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path).and_then(|mut file| file.write_all(&key)) {
                Ok(()) => return Ok(Seal::with(&key)),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(failed(e)),
            }
        }
        Err(failed(ErrorKind::AlreadyExists.into()))
    }

    fn with(key: &[u8]) -> Seal {
        Seal(HMAC::new(key))
    }

    /// The seal of a text that lies in the file called `name`.
    pub fn text(&self, name: &str, text: &str) -> String {
        let mut mac = self.0.clone();
        mac.update((name.len() as u64).to_le_bytes());
        mac.update(name);
        mac.update(text);
        hex(&mac.finalize())
    }
}

/// The key, if it is a plain file of this user's that nobody else may read.
fn own_key(path: &Path) -> Option<Vec<u8>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let key = fs::symlink_metadata(path).ok()?;
        // What root may read is not always root's.
        let made_here = tempfile::tempfile_in(path.parent()?).and_then(|file| file.metadata());
        if key.mode() & 0o077 != 0 || key.uid() != made_here.ok()?.uid() {
            return None;
        }
    }
    sandbox::read_plain(path, 32).ok().filter(|key| key.len() == 32)
}

/// SHA-256 of several parts, each with its length.
#[derive(Default)]
pub struct Fingerprint(Hash);

impl Fingerprint {
    /// Adds a part.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds what a file holds, without holding it in memory.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn add_file(&mut self, path: &Path) -> std::io::Result<()> {
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 64 << 10];
        let mut bytes = 0u64;
        loop {
            let n = file.read(&mut buffer)?;
            if n == 0 {
                self.0.update(bytes.to_le_bytes());
                return Ok(());
            }
            self.0.update(&buffer[..n]);
            bytes += n as u64;
        }
    }

    /// The fingerprint, 32 hexadecimal digits.
    pub fn text(self) -> String {
        hex(&self.0.finalize()[..16])
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_fits_one_text_in_one_file_and_the_key_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let seal = Seal::of(dir.path()).unwrap();
        let of = |seal: &Seal, name: &str, text: &str| seal.text(name, text);
        let right = of(&seal, "ann", "8 points");
        assert_eq!(right.len(), 64);
        assert_eq!(of(&Seal::of(dir.path()).unwrap(), "ann", "8 points"), right);
        assert_ne!(of(&seal, "ann", "9 points"), right);
        assert_ne!(of(&seal, "an", "n8 points"), right);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(of(&Seal::of(other.path()).unwrap(), "ann", "8 points"), right);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let key = dir.path().join(KEY);
            let mode = fs::metadata(&key).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            // A key that others may have read is worth nothing.
            fs::set_permissions(&key, PermissionsExt::from_mode(0o644)).unwrap();
            let second = of(&Seal::of(dir.path()).unwrap(), "ann", "8 points");
            assert_ne!(second, right);
            // Nor is one that another user has put there; only root can give files away.
            if std::os::unix::fs::chown(&key, Some(12345), None).is_ok() {
                assert_ne!(of(&Seal::of(dir.path()).unwrap(), "ann", "8 points"), second);
            }
        }
    }
}
