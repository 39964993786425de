#include "cli/database.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace rewrought::cli {

absl::StatusOr<std::unique_ptr<store::Store>> OpenDatabase(const Context& context, store::OpenMode mode, bool durable,
                                                           int readers_ahead) {
  const std::filesystem::path folder = std::filesystem::path(context.db).parent_path();
  std::error_code error;
  if (mode == store::OpenMode::kCreate && !folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::UnavailableError(absl::StrCat(folder.string(), ": cannot create the folder: ", error.message(),
                                               "; choose another database with --db"));
  }
  store::StoreOptions options;
  options.mode = mode;
  options.durable = durable;
  options.readers_ahead = readers_ahead;
  return store::Store::Open(context.db, options);
}

void AddSupportOptions(CLI::App* command, const std::string& what, pipeline::SupportLimits* limits) {
  command
      ->add_option("--min-sources", limits->sources,
                   absl::StrCat("leave out ", what, " that apply in fewer discovery sources"))
      ->capture_default_str();
  command
      ->add_option("--min-shaders", limits->shaders,
                   absl::StrCat("leave out ", what, " that apply in fewer discovery shaders"))
      ->capture_default_str();
}

}  // namespace rewrought::cli
