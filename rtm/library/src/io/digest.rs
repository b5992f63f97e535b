//! Is it the same run, the same data? Hashes of contents (XXH3 of 128 bits): against mistakes, not
//! against malice.

use twox_hash::XxHash3_128;

/// The hash of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// As hexadecimal digits.
    pub fn text(&self) -> String {
        format!("{:032x}", self.0)
    }

    /// Of a row of things, one of them added at its end.
    pub fn then(self, next: Fingerprint) -> Fingerprint {
        let mut digest = Digest::new();
        digest.add(&self.0.to_le_bytes());
        digest.add(&next.0.to_le_bytes());
        digest.finish()
    }
}

/// Makes a fingerprint.
#[derive(Default)]
pub struct Digest(XxHash3_128);

impl Digest {
    /// Of nothing yet.
    pub fn new() -> Digest {
        Digest::default()
    }

    /// Takes bytes in, and where they end.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(&(bytes.len() as u64).to_le_bytes());
        self.0.write(bytes);
    }

    /// The hash.
    pub fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finish_128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_their_order_and_their_ends_count() {
        let of = |parts: &[&str]| {
            let mut digest = Digest::new();
            parts.iter().for_each(|part| digest.add(part.as_bytes()));
            digest.finish()
        };
        let all = [of(&[]), of(&["ab", "c"]), of(&["a", "bc"]), of(&["c", "ab"]), of(&["abc"])];
        for (k, one) in all.iter().enumerate() {
            assert!(!all[..k].contains(one), "{k}");
        }
        assert_eq!(of(&["ab", "c"]), all[1]);
        assert_ne!(all[1].then(all[2]), all[2].then(all[1]));
        assert_eq!(all[0].text().len(), 32);
    }
}
