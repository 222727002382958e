#!/usr/bin/env bash
set -euo pipefail
TARGET=${1:-main}
export LOG_LEVEL=info

# Waits until a port answers.
wait_for_port() {
  local host=$1 port=$2 tries=${3:-50}
  until nc -z "$host" "$port"; do ((tries--)) || return 1; sleep 0.1; done
}

function deploy {
  wait_for_port localhost 8080 && rsync -a --delete build/ "deploy@$TARGET:/srv/www/"
}

deploy "$@"
