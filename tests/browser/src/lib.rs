//! A browser for tests: Debian's Chromium, spoken to through two named pipes by its DevTools
//! protocol, and a server for a folder of pages. No driver and no library is needed.
#![forbid(unsafe_code)]

mod axe;
mod files;

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

pub use axe::axe;
pub use files::Files;

/// How long anything on a page may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long the browser may take to start.
const START: Duration = Duration::from_secs(60);
/// How long it may take to end.
const END: Duration = Duration::from_secs(20);

/// A running browser with one page.
pub struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    next: u64,
    session: String,
    /// Addresses that were asked for.
    pub requests: Vec<String>,
    /// Errors and warnings on the console, and exceptions.
    pub complaints: Vec<String>,
    later: VecDeque<Value>,
    home: TempDir,
}

/// True if there are a Chromium and the target that pages run; else the test is skipped, but not in
/// CI.
pub fn installed() -> bool {
    let chromium = Command::new("chromium")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    let target = "wasm32-unknown-unknown";
    let libraries =
        Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let libraries = libraries.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
    let engine = libraries.is_ok_and(|dir| Path::new(&dir).is_dir());
    for (there, what) in [(chromium, "chromium"), (engine, target)] {
        if !there {
            let text = format!("skipped: {what} is not installed");
            assert!(std::env::var_os("CI").is_none(), "{text}, and this is CI");
            eprintln!("{text}");
        }
    }
    chromium && engine
}

impl Browser {
    /// A browser with a fresh profile.
    pub fn start() -> Browser {
        let home = tempfile::tempdir().expect("a folder");
        let pipes = ["to", "from"].map(|name| home.path().join(name));
        let made = Command::new("mkfifo").args(&pipes).status().expect("mkfifo");
        assert!(made.success());
        let script = "exec chromium --headless=new --no-sandbox --disable-gpu --no-first-run \
            --disable-background-networking --disable-component-update --disable-sync \
            --disable-dev-shm-usage --remote-debugging-pipe --user-data-dir=\"$1/profile\" \
            about:blank 3<\"$1/to\" 4>\"$1/from\"";
        let child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(home.path())
            .env("HOME", home.path())
            .env("TMPDIR", home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh");
        let to = OpenOptions::new().write(true).open(&pipes[0]).expect("a pipe");
        let read = File::open(&pipes[1]).expect("a pipe");
        let (send, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(read).split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { break };
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            to,
            from,
            next: 0,
            session: String::new(),
            requests: Vec::new(),
            complaints: Vec::new(),
            later: VecDeque::new(),
            home,
        };
        let began = Instant::now();
        let target = loop {
            let all = browser.call("Target.getTargets", json!({}));
            let found = all["targetInfos"].as_array().into_iter().flatten();
            if let Some(page) = found.clone().find(|t| t["type"] == "page") {
                break page["targetId"].clone();
            }
            assert!(began.elapsed() < START, "no page");
            std::thread::sleep(Duration::from_millis(20));
        };
        let to = json!({ "targetId": target, "flatten": true });
        let attached = browser.call("Target.attachToTarget", to);
        browser.session = attached["sessionId"].as_str().expect("a session").into();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method of the protocol and waits for its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let message = self.from.recv_timeout(PATIENCE).expect("the browser answers");
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.heard(message);
        }
    }

    fn heard(&mut self, message: Value) {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => {
                self.requests.push(params["request"]["url"].as_str().unwrap_or_default().into());
            }
            "Runtime.exceptionThrown" => {
                self.complaints.push(params["exceptionDetails"].to_string())
            }
            "Log.entryAdded" if params["entry"]["level"] != "verbose" => {
                self.complaints.push(params["entry"].to_string());
            }
            "Runtime.consoleAPICalled" if params["type"] != "log" => {
                self.complaints.push(params["args"].to_string());
            }
            "Page.javascriptDialogOpening" => self.later.push_back(message),
            _ => {}
        }
    }

    /// Opens an address and waits until the page is loaded.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        self.wait("document.readyState === 'complete'");
    }

    /// The value of an expression on the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let said = self.call("Runtime.evaluate", params);
        assert!(said["exceptionDetails"].is_null(), "{expression}: {}", said["exceptionDetails"]);
        said["result"]["value"].clone()
    }

    /// The text of what a selector finds first.
    pub fn text(&mut self, selector: &str) -> String {
        let text = self.eval(&format!("document.querySelector({}).textContent", json!(selector)));
        text.as_str().unwrap_or_default().to_string()
    }

    /// Waits until an expression is true, or the promise of one.
    pub fn wait(&mut self, expression: &str) {
        let began = Instant::now();
        while self.eval(&format!("(async () => Boolean({expression}))()")) != true {
            assert!(
                began.elapsed() < PATIENCE,
                "{expression} does not come true; the page says: {}; complaints: {:?}",
                self.eval("document.body.innerText.slice(0, 2000)"),
                self.complaints
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks what a selector finds first.
    pub fn click(&mut self, selector: &str) {
        self.eval(&format!("document.querySelector({}).click()", json!(selector)));
    }

    /// Writes a text in place of a field's content, as a user does.
    pub fn fill(&mut self, selector: &str, text: &str) {
        let field = json!(selector);
        self.eval(&format!(
            "{{ const f = document.querySelector({field}); f.focus(); f.select(); null }}"
        ));
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Gives a file to a field for files, as a user does.
    pub fn give(&mut self, selector: &str, file: &Path) {
        let root = self.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
        let asked = json!({ "nodeId": root, "selector": selector });
        let node = self.call("DOM.querySelector", asked)["nodeId"].clone();
        self.call("DOM.setFileInputFiles", json!({ "nodeId": node, "files": [file] }));
    }

    /// Presses a key. `Tab` and `Enter` do what they do.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            _ => (0, ""),
        };
        let down = json!({
            "type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "text": text
        });
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up);
    }

    /// Presses `Tab` until what a selector finds has the focus. `Escape` before it leaves an editor
    /// in which `Tab` indents.
    pub fn tab_to(&mut self, selector: &str) {
        let there = format!("document.activeElement.matches({})", json!(selector));
        for _ in 0..200 {
            if self.eval(&there) == true {
                return;
            }
            self.press("Escape");
            self.press("Tab");
        }
        panic!("the keyboard does not reach {selector}");
    }

    /// Writes a text in place of the content of the field that has the focus, by keys.
    pub fn retype(&mut self, text: &str) {
        let all = json!({
            "type": "keyDown", "key": "a", "modifiers": 2, "commands": ["selectAll"]
        });
        self.call("Input.dispatchKeyEvent", all);
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Width and height in pixels, and whether the user likes it dark.
    pub fn resize(&mut self, width: u32, height: u32, dark: bool) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Writes what is seen to a PNG file.
    pub fn picture(&mut self, file: &Path) {
        let said = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let text = said["data"].as_str().expect("a picture");
        std::fs::write(file, files::from_base64(text)).expect("a file");
    }

    /// Panics if something complained, or if a request went anywhere but to `address`.
    pub fn is_content(&self, address: &str) {
        assert_eq!(self.complaints, [""; 0]);
        let own = |url: &String| {
            ["data:", "blob:", "about:"].iter().any(|s| url.starts_with(s))
                || url.starts_with(address)
        };
        let strange: Vec<&String> = self.requests.iter().filter(|url| !own(url)).collect();
        assert!(strange.is_empty(), "{strange:?}");
    }
}

impl Browser {
    /// Ends all its processes; how the first of them ended. Of one that is killed, others live on
    /// for a moment and write.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        let asked = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0").is_ok();
        let began = Instant::now();
        while asked && began.elapsed() < END && self.child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        self.child.wait()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.end();
        let began = Instant::now();
        while began.elapsed() < END && std::fs::remove_dir_all(self.home.path()).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_leaves_nothing_behind() {
        if installed() {
            let mut browser = Browser::start();
            let home = browser.home.path().to_path_buf();
            assert!(home.is_dir());
            assert!(browser.end().expect("it ends").success(), "it had to be killed");
            drop(browser);
            assert!(!home.exists(), "{}", home.display());
        }
    }
}
