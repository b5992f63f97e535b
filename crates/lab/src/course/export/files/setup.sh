#!/usr/bin/env bash
# Gradescope runs this once, when it makes the image: Rust, a user for the judge, and the course
# built, so that nothing needs the network later.
set -euo pipefail
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    ca-certificates curl gcc libc6-dev
useradd --create-home judge
chown -R judge /autograder/source
runuser -l judge -c 'curl --proto "=https" -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal'
# An empty submission: what all submissions need is compiled for it.
first=$(mktemp -d)
mkdir -p "$first/class/submission"
chown -R judge "$first"
runuser -l judge -c "/autograder/source/judge $first"
rm -r "$first"
