#!/usr/bin/env bash
# Two agents and a person: one stops, a person decides, the next continues, nothing is lost.
# Runs in the current directory, which should be empty. TASUKI is the tool, STORY the directory of the documents.
set -euo pipefail
tasuki=${TASUKI:-tasuki}
story=${STORY:-$(cd "$(dirname "$0")" && pwd)}

say() { printf '\n# %s\n' "$*"; }
run() { # the party, then its command; prints the command and its output
  local who=$1; shift
  printf '%s$ tasuki %s\n' "$who" "${*//$story\//}"
  local status=0
  TASUKI_AS=$who TASUKI_SESSION=$who "$tasuki" "$@" 2>&1 || status=$?
  [ "$status" = 0 ] || printf '[exit %d]\n' "$status"
}

reference() { # the party, then the task; what `show` suggests to name in a decision
  TASUKI_AS=$1 "$tasuki" show "$2" 2>&1 | grep -o "$2@[^ ]*" | head -n 1
}

say 'An exchange, a person, two agents and the contract between them'
"$tasuki" init 2>/dev/null
"$tasuki" party add ana --human --no-password
"$tasuki" party add hermes-main
"$tasuki" party add hermes-worker-3
"$tasuki" contract publish "$story/contract.yaml"

# A follower reads the event stream from the start.
"$tasuki" events --since 0 --follow --task build-web-part > heard.txt 2>/dev/null &
follower=$!
trap 'kill "$follower" 2>/dev/null || true' EXIT

say '1. hermes-main works, saves a checkpoint, and its session ends'
run hermes-main begin "$story/handoff.yaml" --lease 5s
run hermes-main checkpoint --completed 'Scaffolded it' --remaining 'Write component logic' --remaining 'Add tests' \
  --pitfall 'SCSS alias: @fluentui needs an explicit path' --confidence 0.62 --to hermes-worker-3
sleep 6

say '2. Free text is refused, and every violation is listed'
printf 'Please finish the web part, thanks!\n' > chat.txt
run hermes-main submit chat.txt --to hermes-worker-3

say '3. The lease has expired. The contract requires confidence 0.7, the checkpoint states 0.62: a person decides'
run hermes-worker-3 claim build-web-part
run ana inbox
run ana approve "$(reference ana build-web-part)" -m 'Go on, watch the alias'

say '4. The worker claims it and gets a brief; the old agent wakes up late and is refused'
run hermes-worker-3 claim build-web-part --no-drift
run hermes-worker-3 resume build-web-part --budget 600
run hermes-main checkpoint --completed 'I am back'

say '5. It returns evidence, the return is verified, and every event was followed'
printf 'handoff_version: "1.0"\npacket_type: return\nstatus: completed\n' > short.yaml
run hermes-worker-3 return -f short.yaml
run hermes-worker-3 return -f "$story/return.yaml"
run ana verify "$(reference ana build-web-part)" --pass
for _ in $(seq 100); do grep -q ' done$' heard.txt && break; sleep 0.1; done
printf '$ tasuki events --since 0 --follow --task build-web-part\n'
cat heard.txt
run ana log check | sed 's| (.*||'
