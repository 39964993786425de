#!/bin/sh
# embed.sh SCRIPT: prints C++ that holds the importer as a string literal, so that the binary needs no file beside it.
set -eu
echo '#include "server/audit/importer_text.h"'
echo 'namespace rewrought::audit {'
printf 'const char kImporterText[] = R"importer('
cat "$1"
echo ')importer";'
echo '}  // namespace rewrought::audit'
