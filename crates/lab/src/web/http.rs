//! As much of HTTP/1.1 as one's own browser needs of a server on the same machine: one request a
//! connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longest line of a request's head, in bytes.
const LINE: u64 = 8 << 10;
/// Most lines of a head.
const LINES: usize = 100;
/// Largest body, in bytes.
const BODY: usize = 8 << 20;
/// How long a browser may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub method: String,
    /// What stands behind the host, without a query.
    pub path: String,
    pub host: String,
    pub origin: Option<String>,
    pub body: String,
}

/// An answer: status, type, content.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn new(kind: &'static str, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, kind, body: body.into() }
    }

    pub fn json(value: &serde_json::Value) -> Answer {
        Answer::new("application/json", value.to_string())
    }

    pub fn refused(status: u16, text: impl Into<String>) -> Answer {
        Answer { status, kind: "text/plain; charset=utf-8", body: text.into().into_bytes() }
    }

    /// Writes it. A browser that has gone is no error worth a message.
    pub fn send(&self, to: &mut impl Write) {
        let words = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            _ => "Method Not Allowed",
        };
        let head = format!(
            "HTTP/1.1 {} {words}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\
             Content-Security-Policy: {}; frame-ancestors 'none'\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\n\
             Connection: close\r\n\r\n",
            self.status,
            self.kind,
            self.body.len(),
            web::POLICY
        );
        let _ = to.write_all(head.as_bytes()).and_then(|()| to.write_all(&self.body));
        let _ = to.flush();
    }
}

/// Reads a request.
///
/// # Errors
/// What is wrong with it.
pub(super) fn receive(stream: &TcpStream) -> Result<Request, String> {
    let wrong = |e: std::io::Error| e.to_string();
    stream.set_read_timeout(Some(PATIENCE)).map_err(wrong)?;
    read(&mut BufReader::new(stream))
}

fn read(from: &mut impl BufRead) -> Result<Request, String> {
    let mut line = || -> Result<String, String> {
        let mut text = String::new();
        from.by_ref().take(LINE).read_line(&mut text).map_err(|e| e.to_string())?;
        let whole = text.strip_suffix('\n').ok_or("a line of the head is too long or cut off")?;
        Ok(whole.trim_end_matches('\r').to_string())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !words.next().is_some_and(|v| v.starts_with("HTTP/1.")) || !target.starts_with('/') {
        return Err("this is no request of HTTP/1.1".into());
    }
    let path = target.split(['?', '#']).next().unwrap_or_default().to_string();
    let method = method.to_string();
    let (mut host, mut origin, mut length) = (None, None, 0);
    for k in 0.. {
        let header = line()?;
        if header.is_empty() {
            break;
        }
        if k == LINES {
            return Err("the head has too many lines".into());
        }
        let (name, value) = header.split_once(':').ok_or("a header has no colon")?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "host" if host.is_some() => return Err("two hosts".into()),
            "host" => host = Some(value.to_string()),
            "origin" => origin = Some(value.to_string()),
            "content-length" => length = value.parse().map_err(|_| "Content-Length: no number")?,
            "transfer-encoding" => return Err("Transfer-Encoding is not understood".into()),
            _ => {}
        }
    }
    if length > BODY {
        return Err(format!("the body has more than {BODY} bytes"));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).map_err(|e| e.to_string())?;
    let body = String::from_utf8(body).map_err(|_| "the body is not UTF-8")?;
    Ok(Request { method, path, host: host.unwrap_or_default(), origin, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_within_limits() {
        let of = |text: &str| read(&mut text.as_bytes());
        let post =
            of("POST /t/ask?x=1 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 2\r\n\r\nhi").unwrap();
        assert_eq!(
            (post.path.as_str(), post.host.as_str(), post.body.as_str()),
            ("/t/ask", "a:1", "hi")
        );
        for (text, want) in [
            ("GET / HTTP/2\r\n\r\n", "no request"),
            ("GET http://x/ HTTP/1.1\r\n\r\n", "no request"),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "two hosts"),
            ("GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", "more than"),
            ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "no number"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "Transfer-Encoding"),
            ("GET / HTTP/1.1\r\nHost", "cut off"),
        ] {
            assert!(of(text).unwrap_err().contains(want), "{text:?}");
        }
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(9000));
        assert!(of(&long).unwrap_err().contains("too long"));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200));
        assert!(of(&many).unwrap_err().contains("too many"));
    }
}
