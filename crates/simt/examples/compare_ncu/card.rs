//! What `tools/ncu/run.sh` brought back from the card.

use std::collections::BTreeMap;
use std::path::Path;

/// Case and number of its `run` line.
pub type RunId = (String, usize);

/// Counters of the GPU by metric, summed over the launches of a run.
pub type Measured = BTreeMap<String, f64>;

/// One memory instruction of a kernel, summed over the launches of a run.
#[derive(Clone, Debug)]
pub struct Access {
    /// File and line of its source; `cuda` for code that is not in the corpus file, such as the
    /// mathematical functions.
    pub line: Option<u32>,
    /// The instruction without predicate and operands, such as `LDG.E.128`.
    pub op: String,
    /// Warps that executed it.
    pub executed: u64,
    /// Requests to the L1 cache and sectors, if it is global; wavefronts, if it is shared.
    pub requests: u64,
    pub sectors: u64,
    pub wavefronts: u64,
}

/// One build of the corpus, measured.
pub struct Card {
    pub counters: BTreeMap<RunId, Measured>,
    pub accesses: BTreeMap<RunId, Vec<Access>>,
    /// Bytes by case and buffer.
    pub outputs: BTreeMap<(String, String), Vec<u8>>,
}

/// Fields of one line of CSV with quotes.
pub fn fields(line: &str) -> Vec<String> {
    let (mut out, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(String::new()),
            c => out.last_mut().expect("never empty").push(c),
        }
    }
    out
}

pub fn read(folder: &Path, name: &str) -> Result<String, String> {
    let path = folder.join(name);
    std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
}

impl Card {
    /// Reads the folder of one build.
    pub fn read(folder: &Path) -> Result<Card, String> {
        let launches: Vec<RunId> = read(folder, "launches.csv")?
            .lines()
            .filter_map(|line| {
                let f = fields(line);
                Some((f.get(1)?.clone(), f.get(2)?.parse().ok()?))
            })
            .collect();
        Ok(Card {
            counters: counters(&read(folder, "ncu.csv")?, &launches)?,
            accesses: accesses(&read(folder, "lines.csv")?, &launches)?,
            outputs: outputs(folder)?,
        })
    }
}

fn counters(text: &str, launches: &[RunId]) -> Result<BTreeMap<RunId, Measured>, String> {
    let mut rows = text.lines().filter(|l| l.starts_with('"')).map(fields);
    let heading = rows.next().ok_or("ncu.csv has no heading")?;
    let mut out: BTreeMap<RunId, Measured> = BTreeMap::new();
    for row in rows {
        // the line of units has no launch number
        let Some(id) = row.first().and_then(|id| id.parse::<usize>().ok()) else { continue };
        let launch = launches.get(id).ok_or_else(|| format!("launch {id} is not listed"))?;
        let sums = out.entry(launch.clone()).or_default();
        for (name, value) in heading.iter().zip(&row) {
            if let Ok(v) = value.replace(',', "").parse::<f64>() {
                *sums.entry(name.clone()).or_default() += v;
            }
        }
    }
    Ok(out)
}

fn accesses(text: &str, launches: &[RunId]) -> Result<BTreeMap<RunId, Vec<Access>>, String> {
    // by offset of the instruction: a run may consist of many launches
    let mut sums: BTreeMap<RunId, BTreeMap<u64, Access>> = BTreeMap::new();
    for row in text.lines() {
        let f = fields(row);
        let bad = || format!("lines.csv: bad line {row}");
        let number = |i: usize| f.get(i).and_then(|n| n.parse::<u64>().ok()).ok_or_else(bad);
        let run = launches.get(number(0)? as usize).ok_or_else(bad)?;
        let sass = f.get(10).ok_or_else(bad)?.trim();
        let op = sass.split_whitespace().find(|w| !w.starts_with('@')).ok_or_else(bad)?;
        let own = f[3] == format!("{}.cu", run.0);
        let access = Access {
            line: own.then_some(number(4)? as u32),
            op: op.to_string(),
            executed: number(5)?,
            requests: number(7)?,
            sectors: number(8)?,
            wavefronts: number(9)?,
        };
        let at = sums.entry(run.clone()).or_default();
        at.entry(number(2)?)
            .and_modify(|a| {
                a.executed += access.executed;
                a.requests += access.requests;
                a.sectors += access.sectors;
                a.wavefronts += access.wavefronts;
            })
            .or_insert(access);
    }
    Ok(sums.into_iter().map(|(run, at)| (run, at.into_values().collect())).collect())
}

/// Bytes of the saved buffers, by case and buffer.
pub fn outputs(folder: &Path) -> Result<BTreeMap<(String, String), Vec<u8>>, String> {
    let path = folder.join("outputs.bin");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut out = BTreeMap::new();
    for line in read(folder, "outputs.csv")?.lines() {
        let f = fields(line);
        let [case, buffer, at, size] = f.as_slice() else { return Err(format!("bad {line}")) };
        let at: usize = at.parse().map_err(|_| format!("bad {line}"))?;
        let size: usize = size.parse().map_err(|_| format!("bad {line}"))?;
        let part = bytes.get(at..at + size).ok_or("outputs.bin is too short")?;
        out.insert((case.clone(), buffer.clone()), part.to_vec());
    }
    Ok(out)
}
