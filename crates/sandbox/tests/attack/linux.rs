//! What a stranger's program tries: `sandbox-attack WHAT ARGS...` ends with 0 if it worked, with 1
//! and a sentence if it was refused. The tests run each inside of the sandbox and outside.

use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

type Done = Result<(), Box<dyn Error>>;

/// Longer than any limit of the tests.
const LONG: Duration = Duration::from_secs(600);

/// Gives whoever watches the time to see what was taken, if it is to be `held`.
fn until_seen(hold: &str) -> Done {
    match hold {
        "held" => std::thread::sleep(LONG),
        "once" => {}
        _ => return Err("held or once?".into()),
    }
    Ok(())
}

pub fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = attack(&args);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("refused: {why}");
            ExitCode::from(1)
        }
    }
}

/// Does what the words name: long because it is a list of attacks.
fn attack(args: &[&str]) -> Done {
    match *args {
        ["read", file] => drop(fs::read(file)?),
        ["write", file] => fs::write(file, "mine")?,
        ["append", file] => {
            fs::OpenOptions::new().append(true).open(file)?.write_all(b"more")?;
        }
        ["cut", file] => fs::File::options().write(true).truncate(true).open(file).map(drop)?,
        ["cut-readable", file] => {
            use std::os::unix::fs::OpenOptionsExt;
            let flag = nix::libc::O_TRUNC;
            drop(fs::File::options().read(true).custom_flags(flag).open(file)?);
            if fs::metadata(file)?.len() > 0 {
                return Err("it is as long as it was".into());
            }
        }
        ["remove", file] => fs::remove_file(file)?,
        ["rename", from, to] => fs::rename(from, to)?,
        ["mode", file] => {
            fs::set_permissions(file, PermissionsExt::from_mode(0o600))?;
            if fs::metadata(file)?.permissions().mode() & 0o777 != 0o600 {
                return Err("the mode is what it was".into());
            }
        }
        ["see", file] => fs::metadata(file).map(drop)?,
        ["symlink", file, name] => {
            let _ = fs::remove_file(name);
            symlink(file, name)?;
            drop(fs::read(name)?);
        }
        ["hardlink", file, name] => {
            let _ = fs::remove_file(name);
            fs::hard_link(file, name)?;
            drop(fs::read(name)?);
        }
        ["connect", address] => drop(std::net::TcpStream::connect(address)?),
        ["datagram", address] => {
            let socket = std::net::UdpSocket::bind("127.0.0.1:0")?;
            socket.send_to(b"leak", address)?;
        }
        ["unix", path] => drop(std::os::unix::net::UnixStream::connect(path)?),
        ["signal", id] => nix::sys::signal::kill(nix::unistd::Pid::from_raw(id.parse()?), None)?,
        ["trace", id] => {
            let mut first = [0];
            let memory = fs::File::open(format!("/proc/{id}/mem"));
            let maps = fs::read_to_string(format!("/proc/{id}/maps"))?;
            let at = u64::from_str_radix(maps.split('-').next().unwrap_or_default(), 16)?;
            std::os::unix::fs::FileExt::read_at(&memory?, &mut first, at)?;
        }
        ["descriptors"] => {
            let open = fs::read_dir("/proc/self/fd")?.count();
            // Three, and the list's own.
            if open <= 4 {
                return Err("none but the three is open".into());
            }
        }
        ["environment"] => {
            if std::env::vars_os().next().is_none() {
                return Err("it is empty".into());
            }
        }
        ["memory", mib, hold] => {
            let block = vec![1u8; mib.parse::<usize>()? << 20];
            until_seen(hold)?;
            drop(std::hint::black_box(block));
        }
        ["fork", count, hold] => {
            let me = std::env::current_exe()?;
            let mut all = Vec::new();
            for _ in 0..count.parse::<u32>()? {
                all.push(std::process::Command::new(&me).arg("sleep").spawn()?);
            }
            until_seen(hold)?;
            for mut child in all {
                child.kill()?;
                child.wait()?;
            }
        }
        ["file", file, mib] => {
            let mut file = fs::File::create(file)?;
            for _ in 0..mib.parse::<u32>()? {
                file.write_all(&[1; 1 << 20])?;
            }
        }
        ["files", dir, count, mib] => {
            for k in 0..count.parse::<u32>()? {
                attack(&["file", &format!("{dir}/{k}"), mib])?;
            }
            until_seen("held")?;
        }
        // As many, without names.
        ["nameless", dir, count, mib] => {
            let mut held = Vec::new();
            for k in 0..count.parse::<u32>()? {
                let name = format!("{dir}/{k}");
                attack(&["file", &name, mib])?;
                held.push(fs::File::open(&name)?);
                fs::remove_file(name)?;
            }
            until_seen("held")?;
        }
        ["spin"] => loop {
            std::hint::spin_loop();
        },
        ["spin-all", count] => {
            let me = std::env::current_exe()?;
            for _ in 1..count.parse::<u32>()? {
                std::process::Command::new(&me).arg("spin").spawn()?;
            }
            attack(&["spin"])?;
        }
        ["sleep"] => std::thread::sleep(LONG),
        // A process of its own session goes on; this one ends, or stays.
        ["daemon", file, how] => {
            use std::process::{Command, Stdio};
            let mut body = Command::new(std::env::current_exe()?);
            body.args(["daemon-body", file]).stdout(Stdio::null()).stderr(Stdio::null());
            let mut body = body.spawn()?;
            while !Path::new(file).exists() && body.try_wait()?.is_none() {
                std::thread::sleep(Duration::from_millis(5));
            }
            if how == "stays" {
                std::thread::sleep(LONG);
            }
        }
        ["daemon-body", file] => {
            nix::unistd::setsid()?;
            attack(&["writer", file])?;
        }
        ["writer", file] => {
            fs::write(file, "mine")?;
            std::thread::sleep(LONG);
        }
        ["flood"] => loop {
            std::io::stdout().write_all(&[b'x'; 1 << 16])?;
        },
        ["echo"] => {
            let mut text = [0; 4];
            std::io::stdin().read_exact(&mut text)?;
            std::io::stdout().write_all(&text)?;
            std::io::stdout().flush()?;
        }
        ["abort"] => std::process::abort(),
        ["namespace"] => nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWUSER)?,
        ["priority", id] => {
            // Another's limit on processor time, by the only call for it.
            let status = std::process::Command::new("/usr/bin/prlimit")
                .args(["--pid", id, "--nofile=64"])
                .status()?;
            if !status.success() {
                return Err("prlimit failed".into());
            }
        }
        _ => return Err(format!("unknown: {args:?}").into()),
    }
    Ok(())
}
