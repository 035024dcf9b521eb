#!/usr/bin/env bash
# A Ray cluster of two laptops in one network.
#
#   first laptop:   bash laptops.sh first
#   second laptop:  bash laptops.sh second ADDRESS TOKEN    which the first one printed
#   first laptop:   cfr exploit hulhe.h5 --ray auto
#   both:           bash laptops.sh stop
#
# Run it where `cfr` and `ray` are: in the same virtual environment, with the same version of cfr on both.
set -euo pipefail

# Who has the token may run programs on both laptops; others in the network may not.
export RAY_AUTH_MODE=token
port=6379
case "${1:-}" in
  first)
    token=$(ray get-auth-token --generate 2>/dev/null)
    ray start --head --port="$port"
    echo "second laptop: bash laptops.sh second $(hostname -I | cut -d' ' -f1):$port $token"
    ;;
  second)
    export RAY_AUTH_TOKEN=${3:?the token that the first laptop printed}
    ray start --address="${2:?the address that the first laptop printed}"
    ;;
  stop)
    ray stop
    ;;
  *)
    echo "laptops.sh: expected first, second ADDRESS TOKEN, or stop" >&2
    exit 2
    ;;
esac
