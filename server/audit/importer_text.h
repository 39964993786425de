// The text of import_mesa_rules.py, as the build embeds it.
#ifndef REWROUGHT_SERVER_AUDIT_IMPORTER_TEXT_H_
#define REWROUGHT_SERVER_AUDIT_IMPORTER_TEXT_H_

namespace rewrought::audit {

extern const char kImporterText[];

}  // namespace rewrought::audit

#endif  // REWROUGHT_SERVER_AUDIT_IMPORTER_TEXT_H_
