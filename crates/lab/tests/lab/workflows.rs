//! The workflows for GitHub's machines: their form, by the keys that GitHub documents
//! (docs.github.com, "Workflow syntax for GitHub Actions"). Nothing here runs them.

use yaml_rust2::yaml::Hash;
use yaml_rust2::{Yaml, YamlLoader};

const OF_WORKFLOW: [&str; 8] =
    ["concurrency", "defaults", "env", "jobs", "name", "on", "permissions", "run-name"];
const OF_JOB: [&str; 11] = [
    "container",
    "env",
    "if",
    "name",
    "needs",
    "outputs",
    "permissions",
    "runs-on",
    "steps",
    "strategy",
    "timeout-minutes",
];
const OF_STEP: [&str; 10] = [
    "continue-on-error",
    "env",
    "id",
    "if",
    "name",
    "run",
    "shell",
    "uses",
    "with",
    "working-directory",
];

/// A table whose keys are all known.
fn table<'y>(what: &str, yaml: &'y Yaml, known: &[&str]) -> Result<&'y Hash, String> {
    let hash = yaml.as_hash().ok_or_else(|| format!("{what} is no table"))?;
    let key = hash.keys().find(|key| !key.as_str().is_some_and(|key| known.contains(&key)));
    key.map_or(Ok(hash), |key| Err(format!("{what}: {key:?} is no key of it")))
}

/// What is wrong with a workflow.
fn valid(text: &str) -> Result<(), String> {
    let all = YamlLoader::load_from_str(text).map_err(|e| e.to_string())?;
    let [workflow] = all.as_slice() else { return Err(format!("{} documents", all.len())) };
    table("workflow", workflow, &OF_WORKFLOW)?;
    let events = match &workflow["on"] {
        Yaml::String(event) => vec![event.as_str()],
        Yaml::Array(events) => events.iter().filter_map(Yaml::as_str).collect(),
        Yaml::Hash(events) => events.keys().filter_map(Yaml::as_str).collect(),
        _ => Vec::new(),
    };
    let known = ["pull_request", "push", "release", "schedule", "workflow_dispatch"];
    if events.is_empty() || events.iter().any(|event| !known.contains(event)) {
        return Err(format!("on: {events:?}"));
    }
    let jobs = workflow["jobs"].as_hash().filter(|jobs| !jobs.is_empty()).ok_or("no jobs")?;
    for (name, job) in jobs {
        let name = name.as_str().ok_or("a job without a name")?;
        table(name, job, &OF_JOB)?;
        job["runs-on"].as_str().ok_or_else(|| format!("{name}: where does it run?"))?;
        let steps = job["steps"].as_vec().filter(|steps| !steps.is_empty());
        for step in steps.ok_or_else(|| format!("{name}: no steps"))? {
            let keys = table(&format!("a step of {name}"), step, &OF_STEP)?;
            match (step["run"].as_str(), step["uses"].as_str()) {
                (Some(run), None) if !run.trim().is_empty() => {}
                (None, Some(action)) if action.contains('/') && action.contains('@') => {}
                _ => return Err(format!("{name}: a step runs or uses something: {keys:?}")),
            }
            // An expression that is not closed.
            let text = format!("{step:?}");
            if text.matches("${{").count() != text.matches("}}").count() {
                return Err(format!("{name}: {text}"));
            }
        }
    }
    Ok(())
}

#[test]
fn workflows_have_the_form_that_github_documents() {
    let classroom = include_str!("../../src/course/export/files/classroom50.yml");
    let systems = include_str!("../../../../.github/workflows/systems.yml");
    assert_eq!(valid(&classroom.replace("{lab}", "lab1")), Ok(()));
    assert_eq!(valid(systems), Ok(()));
    for (from, to, says) in [
        ("runs-on:", "run-on:", "is no key of it"),
        ("on: [push", "on: [pushed", "on: "),
        ("  - uses: actions/checkout@v4", "  - uses: actions/checkout", "runs or uses"),
        ("steps:", "stages:", "is no key of it"),
        ("key: labs-${{ hashFiles('Cargo.lock') }}", "key: ${{ hashFiles", "marks: "),
        ("      - name: Grade\n", "      - name: [Grade\n", ""),
    ] {
        let bad = classroom.replacen(from, to, 1);
        assert_ne!(bad, classroom, "{from}");
        let said = valid(&bad).expect_err(from);
        assert!(said.contains(says), "{from}: {said}");
    }
}
