//! What crosses between a program and a judge's device, whichever API it is of.

/// What goes one way, beside the name of the function.
#[derive(Debug, Default)]
pub struct Parcel<Blob = Vec<u8>> {
    /// Numbers.
    pub words: Vec<u64>,
    /// Bytes.
    pub blobs: Vec<Blob>,
}

/// What has arrived.
#[derive(Debug)]
pub struct Arrived {
    words: std::vec::IntoIter<u64>,
    blobs: std::vec::IntoIter<Vec<u8>>,
}

impl Arrived {
    /// Words and blobs of a frame.
    pub fn new(words: Vec<u64>, blobs: Vec<Vec<u8>>) -> Arrived {
        Arrived { words: words.into_iter(), blobs: blobs.into_iter() }
    }

    /// The next word.
    pub fn word(&mut self) -> Option<u64> {
        self.words.next()
    }

    /// The next blob.
    pub fn blob(&mut self) -> Option<Vec<u8>> {
        self.blobs.next()
    }

    /// All that is left.
    pub fn rest(self) -> (Vec<u64>, Vec<Vec<u8>>) {
        (self.words.collect(), self.blobs.collect())
    }

    /// As many words as the next one says.
    pub fn list(&mut self) -> Option<Vec<u64>> {
        let count = usize::try_from(self.word()?).ok().filter(|n| *n <= self.words.len())?;
        Some(self.words.by_ref().take(count).collect())
    }
}

impl<Blob> Parcel<Blob> {
    /// Adds words with their number before them.
    pub fn list(&mut self, words: &[u64]) {
        self.words.push(words.len() as u64);
        self.words.extend(words);
    }
}
