#!/bin/sh
# Tests the systemd units of the Debian package on a system that runs systemd, and removes the package. check.py starts
# this script in a new system. The last line of its output is "the units work" if all steps succeeded.
# usage: try_units.sh TRY_SERVICE
set -eu
state=/var/lib/rewrought

step() {
  echo "== $*"
  "$@"
}

fails() {
  ! "$@"
}

# Nothing runs before the administrator starts a unit.
step fails systemctl is-active --quiet rewrought.service rewrought-night.timer
step fails systemctl is-enabled --quiet rewrought.service rewrought-night.timer
step systemctl start rewrought.service
step python3 "$1" --client rewrought
step systemd-analyze --no-pager security rewrought.service --threshold=30
# The nightly job uses the database while the service has it open.
step systemctl start rewrought-night.service
step python3 -c '
import json, sys
steps = json.load(open(sys.argv[1]))["steps"]
sys.exit(0 if len(steps) > 1 and all(step["good"] for step in steps) else "a step failed: %s" % steps)' $state/night/night.json
step systemctl is-active rewrought.service
step systemctl enable --now rewrought-night.timer
step systemctl is-active rewrought-night.timer
step apt-get purge -y -q rewrought
step fails systemctl is-active rewrought.service
step fails systemctl is-active rewrought-night.timer
step test ! -e /var/lib/private/rewrought
step test ! -e $state
step test -z "$(find /etc /usr/lib/systemd /var/lib/systemd -name '*rewrought*' ! -name 'rewrought-test*')"
echo "the units work"
