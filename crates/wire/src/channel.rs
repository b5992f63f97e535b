//! The channel between a host program and the judge's device: one socket, which is the program's
//! standard input.
//!
//! The program asks, the device answers, one frame each. What the judge must know to be true (the
//! calls to make, driver calls, launches, contents of memory) is on the device's side; the program
//! says nothing but what its functions return.

use std::fs::File;
use std::io::{BufReader, Error, ErrorKind, Read, Result, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The variable by which a judge tells a host program that its standard input is the channel.
pub const VARIABLE: &str = "LAB_CHANNEL";

/// Most bytes of the value that a call returns, as JSON.
pub const MOST_REPLY: u64 = 16 << 20;
/// Most bytes of one part of a frame: the memory of the largest buffer that is copied at once.
pub const MOST_BLOB: u64 = 4 << 30;
/// Most bytes of a frame's text, most words, most parts.
const MOST: [u64; 3] = [1 << 20, 1 << 20, 1 << 16];

/// What a frame asks for. An answer has the kind of its question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The next call of the request: the answer's part is a [`Call`](crate::Call), or there is
    /// none.
    Next = 0,
    /// How the call ended: the part is an [`Outcome`](crate::Outcome), the word the wall time in
    /// microseconds.
    Ended = 1,
    /// What the device saw since this was asked last: `calls`, `reports` or `faults` in the text,
    /// JSON in the part.
    Take = 2,
    /// A call of the driver: its name in the text.
    Driver = 3,
}

/// A question or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<Blob = Vec<u8>> {
    /// What is asked for.
    pub kind: Kind,
    /// A name.
    pub text: String,
    /// Numbers.
    pub words: Vec<u64>,
    /// Bytes.
    pub blobs: Vec<Blob>,
}

impl<Blob> Frame<Blob> {
    /// A frame of a kind with a text, without numbers and bytes.
    pub fn new(kind: Kind, text: &str) -> Frame<Blob> {
        Frame { kind, text: text.into(), words: Vec::new(), blobs: Vec::new() }
    }
}

impl<Blob: AsRef<[u8]>> Frame<Blob> {
    /// Writes the frame.
    ///
    /// # Errors
    /// As the writer.
    pub fn write(&self, to: &mut impl Write) -> Result<()> {
        let mut head = vec![self.kind as u8];
        let counts = [self.text.len(), self.words.len(), self.blobs.len()];
        let sizes = self.blobs.iter().map(|b| b.as_ref().len());
        let numbers = counts.into_iter().chain(sizes).map(|n| n as u64);
        for number in numbers.chain(self.words.iter().copied()) {
            head.extend(number.to_le_bytes());
        }
        head.extend(self.text.as_bytes());
        let small: usize = self.blobs.iter().map(|b| b.as_ref().len()).sum();
        if small <= 64 << 10 {
            // One system call.
            self.blobs.iter().for_each(|blob| head.extend(blob.as_ref()));
            to.write_all(&head)?;
        } else {
            to.write_all(&head)?;
            self.blobs.iter().try_for_each(|blob| to.write_all(blob.as_ref()))?;
        }
        to.flush()
    }
}

impl Frame {
    /// Reads a frame; `None` at the end of the channel. `most` says how many bytes of parts are
    /// taken with a frame of a kind. Memory grows with what arrives, not with what is announced.
    ///
    /// # Errors
    /// `InvalidData` for bytes that are no frame; as the reader.
    pub fn read(from: &mut impl Read, most: impl Fn(Kind) -> u64) -> Result<Option<Frame>> {
        let mut kind = [0];
        match from.read_exact(&mut kind) {
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            done => done?,
        }
        let kind = match kind[0] {
            0 => Kind::Next,
            1 => Kind::Ended,
            2 => Kind::Take,
            3 => Kind::Driver,
            other => return Err(nonsense(format!("a frame of the kind {other}"))),
        };
        let most = most(kind);
        let counts = numbers(from, 3)?;
        for ((count, most), what) in counts.iter().zip(MOST).zip(["text", "words", "parts"]) {
            if *count > most {
                return Err(nonsense(format!("a frame with {count} {what}")));
            }
        }
        let sizes = numbers(from, counts[2])?;
        let all = sizes.iter().fold(0u64, |sum, size| sum.saturating_add(*size));
        if all > most {
            return Err(nonsense(format!("{all} bytes, of at most {most}")));
        }
        let words = numbers(from, counts[1])?;
        let text = String::from_utf8(bytes(from, counts[0])?)
            .map_err(|_| nonsense("a text that is not UTF-8".into()))?;
        let blobs = sizes.into_iter().map(|size| bytes(from, size)).collect::<Result<_>>()?;
        Ok(Some(Frame { kind, text, words, blobs }))
    }
}

fn nonsense(what: String) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

fn numbers(from: &mut impl Read, count: u64) -> Result<Vec<u64>> {
    let bytes = bytes(from, 8 * count)?;
    Ok(bytes.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect())
}

fn bytes(from: &mut impl Read, count: u64) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(count.min(1 << 20) as usize);
    if from.take(count).read_to_end(&mut out)? as u64 != count {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(out)
}

/// The program's end of the channel.
#[derive(Debug)]
pub struct Client(Mutex<Option<BufReader<File>>>);

impl Client {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// The judge's device is gone; then it is gone for good.
    pub fn ask<Blob: AsRef<[u8]>>(&self, question: &Frame<Blob>) -> Result<Frame> {
        let mut end: MutexGuard<'_, Option<BufReader<File>>> =
            self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = end.as_mut() else { return Err(ErrorKind::BrokenPipe.into()) };
        let asked = question.write(file.get_mut());
        let answer = asked.and_then(|()| {
            Frame::read(file, |_| u64::MAX)?.ok_or_else(|| ErrorKind::BrokenPipe.into())
        });
        if answer.is_err() {
            *end = None;
        }
        answer
    }
}

/// The channel to the judge's device; `None` in a program that no judge has started, which has its
/// own device.
pub fn client() -> Option<&'static Client> {
    static CLIENT: OnceLock<Option<Client>> = OnceLock::new();
    CLIENT.get_or_init(connect).as_ref()
}

#[cfg(unix)]
fn connect() -> Option<Client> {
    use std::os::fd::AsFd;
    std::env::var_os(VARIABLE)?;
    let end = std::io::stdin().as_fd().try_clone_to_owned().ok();
    let reader = |end: std::os::fd::OwnedFd| BufReader::new(File::from(end));
    Some(Client(Mutex::new(end.map(reader))))
}

#[cfg(not(unix))]
fn connect() -> Option<Client> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_as_they_were_sent_and_nonsense_is_refused() {
        let mut frame = Frame::new(Kind::Driver, "cuInit");
        frame.words = vec![1, u64::MAX];
        frame.blobs = vec![vec![], b"abc".to_vec()];
        let mut sent = Vec::new();
        frame.write(&mut sent).unwrap();
        assert_eq!(Frame::read(&mut sent.as_slice(), |_| 3).unwrap(), Some(frame));
        assert_eq!(Frame::read(&mut [].as_slice(), |_| 3).unwrap(), None);
        let refused = |bytes: &[u8], most| Frame::read(&mut &*bytes, |_| most).unwrap_err().kind();
        assert_eq!(refused(&sent, 2), ErrorKind::InvalidData);
        assert_eq!(refused(b"garbage", 3), ErrorKind::InvalidData);
        assert_eq!(refused(&sent[..sent.len() - 1], 3), ErrorKind::UnexpectedEof);
        // Announced sizes cost nothing.
        let mut huge = vec![3];
        huge.extend([0u64, 1 << 19, 1].map(u64::to_le_bytes).concat());
        assert_eq!(refused(&huge, 3), ErrorKind::UnexpectedEof);
        huge.extend(u64::MAX.to_le_bytes());
        assert_eq!(refused(&huge, 3), ErrorKind::InvalidData);
    }
}
