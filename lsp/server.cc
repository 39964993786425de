#include "lsp/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "audit/audit.h"
#include "ir/dialect/reading.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "lsp/document.h"
#include "lsp/rule_edit.h"
#include "lsp/verdict_text.h"
#include "lsp/work_queue.h"
#include "pipeline/generalize/generalize.h"
#include "pipeline/sites/pattern_fragments.h"
#include "proto/version.h"
#include "verifier/deadline.h"

namespace rewrought::lsp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kImportSeconds = 30;
constexpr std::chrono::milliseconds kPublishInterval{500};
constexpr std::chrono::seconds kActionLimit{5}, kGeneralizeLimit{10};
constexpr char kGeneralizeCommand[] = "rewrought.generalize";

// Error codes of JSON-RPC and of the protocol.
enum ErrorCode { kMethodNotFound = -32601, kInvalidParams = -32602, kRequestCancelled = -32800 };

// Returns the path of a URI "file:///…", or the URI itself if it is of another kind.
std::string PathOf(const std::string& uri) {
  absl::string_view rest = uri;
  if (!absl::ConsumePrefix(&rest, "file://")) return uri;
  std::string path;
  for (size_t i = 0; i < rest.size(); ++i) {
    uint32_t byte = 0;
    // SimpleHexAtoi also accepts signs and spaces, so the two characters must be digits.
    if (rest[i] == '%' && i + 2 < rest.size() && absl::ascii_isxdigit(rest[i + 1]) &&
        absl::ascii_isxdigit(rest[i + 2]) && absl::SimpleHexAtoi(rest.substr(i + 1, 2), &byte)) {
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += rest[i];
    }
  }
  return path;
}

// Returns, for example, "1 site" or "2 sites".
std::string Counted(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string OwnerOf(const Json& id) { return absl::StrCat("request ", id.dump()); }

class Server {
 public:
  Server(MessageWriter* writer, const ServerOptions& options)
      : writer_(*writer),
        options_(options),
        queue_(std::max(1, options.solvers.parallel()), [this] { PublishPending(); }),
        importer_([this](const std::stop_token& stop) { ImportInBackground(stop); }) {}

  // Handles a message. Returns false if the client asks the server to exit.
  bool Handle(const Json& message) {
    try {
      return HandleWellFormed(message);
    } catch (const Json::exception& error) {  // a field has a wrong type
      if (message.contains("id")) ReplyError(message["id"], kInvalidParams, error.what());
      return true;
    }
  }

  bool was_shut_down() const { return shut_down_; }

 private:
  using OpenDocument = std::shared_ptr<Document>;

  bool HandleWellFormed(const Json& message) {
    const std::string method = message.value("method", "");
    const Json params = message.value("params", Json::object());
    if (method == "exit") return false;
    if (message.contains("id") && message.contains("method")) {
      HandleRequest(message["id"], method, params);
    } else {
      HandleNotification(method, params);
    }
    return true;
  }

  void Send(Json message) {
    message["jsonrpc"] = "2.0";
    // Ignore errors: a client that exits also closes the server's input, which ends the server.
    (void)writer_.Write(message);
  }
  void Notify(const char* method, Json params) { Send({{"method", method}, {"params", std::move(params)}}); }
  void Reply(const Json& id, Json result) { Send({{"id", id}, {"result", std::move(result)}}); }
  void ReplyError(const Json& id, int code, const std::string& message) {
    Send({{"id", id}, {"error", {{"code", code}, {"message", message}}}});
  }
  void Show(const std::string& message) { Notify("window/showMessage", {{"type", 3}, {"message", message}}); }

  void HandleRequest(const Json& id, const std::string& method, const Json& params) {
    if (method == "initialize") return Reply(id, Initialize(params));
    if (method == "textDocument/hover") return Reply(id, Hover(params));
    if (method == "textDocument/codeAction") return StartCodeActions(id, params);
    if (method == "textDocument/codeLens") return Reply(id, CodeLenses(params));
    if (method == "codeLens/resolve") return StartLens(id, params);
    if (method == "workspace/executeCommand") return StartCommand(id, params);
    if (method == "shutdown") {
      shut_down_ = true;
      return Reply(id, nullptr);
    }
    ReplyError(id, kMethodNotFound, absl::StrCat("unknown method ", method));
  }

  void HandleNotification(const std::string& method, const Json& params) {
    const Json file = params.value("textDocument", Json::object());
    const std::string uri = file.value("uri", "");
    if (method == "textDocument/didOpen") {
      Open(uri, file.value("version", int64_t{0}), file.value("text", ""));
    } else if (method == "textDocument/didChange") {
      // The server requests full synchronization, so the last change contains the current text.
      const Json changes = params.value("contentChanges", Json::array());
      if (!changes.empty()) Change(uri, file.value("version", int64_t{0}), changes.back().value("text", ""));
    } else if (method == "textDocument/didClose") {
      Close(uri);
    } else if (method == "$/cancelRequest") {
      Cancel(params.value("id", Json()));
    }
  }

  Json Initialize(const Json& params) {
    const Json general = params.value("capabilities", Json::object()).value("general", Json::object());
    const Json encodings = general.value("positionEncodings", Json::array());
    if (std::count(encodings.begin(), encodings.end(), "utf-8") > 0) unit_ = CharacterUnit::kUtf8;
    return {{"capabilities",
             {{"positionEncoding", unit_ == CharacterUnit::kUtf8 ? "utf-8" : "utf-16"},
              {"textDocumentSync", {{"openClose", true}, {"change", 1}}},
              {"hoverProvider", true},
              {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite"}}}},
              {"codeLensProvider", {{"resolveProvider", true}}},
              {"executeCommandProvider", {{"commands", {kGeneralizeCommand}}}}}},
            {"serverInfo", {{"name", "rewrought"}, {"version", kVersion}}}};
  }

  // --- Documents ---

  void Open(const std::string& uri, int64_t version, const std::string& text) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      documents_[uri] = std::make_shared<Document>(RuleFile(PathOf(uri), options_.check, options_.limits), uri);
    }
    Change(uri, version, text);
  }

  void Change(const std::string& uri, int64_t version, const std::string& text) {
    std::unique_lock<std::mutex> lock(mutex_);
    const OpenDocument document = Find(uri);
    if (document == nullptr) return;
    document->SetText(version, TextLines(text, unit_));
    if (document->kind() == FileKind::kMesa && options_.run_python) {
      to_import_.insert(uri);
      import_wanted_.notify_one();
    } else if (document->kind() == FileKind::kMesa) {
      document->SetImportError(
          "the rules of this file are not checked, because the server was started with --no-python");
    }
    Ask(*document);
    Publish(*document);
  }

  void Close(const std::string& uri) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      documents_.erase(uri);
      to_import_.erase(uri);
      published_.erase(uri);
      unpublished_.erase(uri);
    }
    queue_.Drop(uri);
    Notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  }

  // Returns the open document, or null. The caller must hold the mutex, as for the following functions.
  OpenDocument Find(const std::string& uri) const {
    const auto found = documents_.find(uri);
    return found == documents_.end() ? nullptr : found->second;
  }

  std::shared_ptr<const Json> FindAnswer(const std::string& key) {
    std::shared_ptr<const Json>& answer = answers_[key];
    if (answer == nullptr) {
      std::optional<Json> stored = options_.verdicts->Find(key);
      if (stored.has_value()) answer = std::make_shared<const Json>(*std::move(stored));
    }
    return answer;
  }

  void Publish(const Document& document) {
    published_[document.uri()] = Clock::now();
    unpublished_.erase(document.uri());
    Notify("textDocument/publishDiagnostics",
           document.Diagnostics([this](const std::string& key) { return FindAnswer(key); }));
  }

  // Publishes the documents that have new answers. Takes the mutex.
  void PublishPending() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [uri, document] : documents_) {
      if (unpublished_.contains(uri)) Publish(*document);
    }
  }

  // Queues the questions of a document that have no answer.
  void Ask(const Document& document) {
    const Document::Questions questions = document.QuestionsByUrgency();
    std::vector<WorkItem> urgent, others;
    for (size_t i = 0; i < questions.all.size(); ++i) {
      const std::shared_ptr<const audit::Question>& question = questions.all[i];
      if (FindAnswer(question->key) != nullptr) continue;
      (i < questions.urgent ? urgent : others).push_back({question->key, [this, question](const std::stop_token& stop) {
                                                            Answer(*question, stop);
                                                          }});
    }
    queue_.Replace(document.uri(), std::move(urgent), std::move(others));
  }

  // --- Background work; these functions take the mutex ---

  void Answer(const audit::Question& question, const std::stop_token& stop) {
    Json answer = audit::AnswerOf(question, ProverFor(stop));
    if (stop.stop_requested()) return;
    Store(question.key, answer);
    const std::lock_guard<std::mutex> lock(mutex_);
    answers_[question.key] = std::make_shared<const Json>(std::move(answer));
    for (const auto& [uri, document] : documents_) {
      if (!document->Asks(question.key)) continue;
      unpublished_.insert(uri);
      if (document->IsUrgent(question.key) || Clock::now() - published_[uri] > kPublishInterval) Publish(*document);
    }
  }

  verifier::Prover ProverFor(const std::stop_token& stop) const {
    return verifier::Prover(options_.solvers, options_.prover_options(stop));
  }

  void Store(const std::string& key, const Json& value) {
    const absl::Status status = options_.verdicts->Put(key, value);
    if (status.ok()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!std::exchange(store_failed_, true)) Show(std::string(status.message()));
  }

  void ImportInBackground(const std::stop_token& stop) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (import_wanted_.wait(lock, stop, [this] { return !to_import_.empty(); })) {
      const std::string uri = *to_import_.begin();
      to_import_.erase(uri);
      const OpenDocument document = Find(uri);
      if (document == nullptr) continue;
      const int64_t version = document->version();
      const std::string path = document->file().path(), text = document->lines()->text();
      lock.unlock();
      const absl::StatusOr<audit::MesaRules> imported = audit::ReadUnsavedRules(path, text, kImportSeconds);
      lock.lock();
      if (Find(uri) != document || document->version() != version) continue;  // the new text is queued
      if (!imported.ok()) {
        document->SetImportError(std::string(imported.status().message()));
        Publish(*document);
        continue;
      }
      document->SetImported(*imported);
      Ask(*document);
      Publish(*document);
      lock.unlock();
      const std::vector<std::optional<size_t>> shadows = audit::ShadowsAmong(imported->rules, imported->dialect);
      lock.lock();
      if (Find(uri) != document || document->version() != version) continue;
      document->SetShadows(shadows);
      Publish(*document);
    }
  }

  // --- Requests ---

  Json Hover(const Json& params) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const OpenDocument document = Find(params.value("textDocument", Json::object()).value("uri", ""));
    if (document == nullptr) return nullptr;
    const size_t offset = document->lines()->OffsetOf(params.value("position", Json()));
    std::string text;
    ByteRange range;
    for (const FileRule* rule : document->RulesAt(offset)) {
      if (rule->question == nullptr) continue;
      const std::shared_ptr<const Json> answer = FindAnswer(rule->question->key);
      if (!text.empty()) absl::StrAppend(&text, "\n---\n");
      absl::StrAppend(&text, HoverText(*rule, answer.get()));
      range = rule->range;
    }
    if (text.empty()) return nullptr;
    return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", document->lines()->RangeOf(range)}};
  }

  std::string HoverText(const FileRule& rule, const Json* answer) const {
    const ir::Dialect dialect = rule.question->check.dialect;
    std::string text = absl::StrCat("**", answer == nullptr ? "not verified yet" : VerdictLine(*answer), "** (",
                                    ir::NameOf(dialect), ")\n");
    if (!rule.is_literal) absl::StrAppend(&text, "```python\n", rule.source.Text(), "\n```\n");
    const absl::StatusOr<ir::Rule>& parsed = rule.question->entry.rule;
    std::string details;
    if (answer != nullptr && parsed.ok()) details = CounterexampleText(*answer, *parsed);
    if (answer != nullptr) absl::StrAppend(&details, NotesText(rule, *answer));
    if (const std::optional<Json> inferred = options_.verdicts->Find(audit::InferenceKey(*rule.question))) {
      for (const Json& set : inferred->value("weakest", Json::array()))
        absl::StrAppend(&details, "holds with ", absl::StrJoin(set.get<std::vector<std::string>>(), " and "), "\n");
    }
    if (parsed.ok() && options_.machine != nullptr) {
      const std::string cost = CostText(*parsed, dialect, *options_.machine);
      if (!cost.empty()) absl::StrAppend(&details, cost, "\n");
    }
    if (!details.empty()) absl::StrAppend(&text, "```text\n", details, "```\n");
    return text;
  }

  // A literal rule to which a request refers, in the version of the text that the client then had.
  struct Target {
    std::string uri;
    int64_t version = 0;
    std::shared_ptr<const TextLines> lines;
    FileRule rule;
    std::shared_ptr<const Json> answer;

    absl::string_view text() const {
      return absl::string_view(lines->text()).substr(rule.range.begin, rule.range.end - rule.range.begin);
    }
  };

  // Returns the rule at the range, or nullopt if there is no literal rule that can be parsed.
  std::optional<Target> TargetOf(const std::string& uri, const Json& range) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const OpenDocument document = Find(uri);
    if (document == nullptr) return std::nullopt;
    const std::shared_ptr<const TextLines> lines = document->lines();
    const FileRule* rule = document->LiteralAt(
        {lines->OffsetOf(range.value("start", Json())), lines->OffsetOf(range.value("end", Json()))});
    if (rule == nullptr || !rule->question->entry.rule.ok()) return std::nullopt;
    return Target{uri, document->version(), lines, *rule, FindAnswer(rule->question->key)};
  }

  // Runs `work` as an item that $/cancelRequest can stop. The item replies to the request exactly once: with the
  // result of `work`, or with an error if the request is canceled.
  void StartRequest(const Json& id, bool urgent, std::function<Json(std::stop_token)> work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      pending_.insert(OwnerOf(id));
    }
    std::vector<WorkItem> items = {{"request", [this, id, work = std::move(work)](const std::stop_token& stop) {
                                      Json result = work(stop);
                                      // An item that is not urgent runs again after urgent work has stopped it.
                                      if (stop.stop_requested()) return;
                                      if (TakePending(id)) Reply(id, std::move(result));
                                    }}};
    std::vector<WorkItem> none;
    queue_.Replace(OwnerOf(id), urgent ? items : none, urgent ? none : items);
  }

  bool TakePending(const Json& id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return pending_.erase(OwnerOf(id)) > 0;
  }

  void Cancel(const Json& id) {
    if (!TakePending(id)) return;
    queue_.Drop(OwnerOf(id));
    ReplyError(id, kRequestCancelled, "the request was canceled");
  }

  void StartCodeActions(const Json& id, const Json& params) {
    const std::string uri = params.value("textDocument", Json::object()).value("uri", "");
    const Json range = params.value("range", Json::object());
    StartRequest(id, /*urgent=*/true,
                 [this, uri, range](const std::stop_token& stop) { return CodeActions(uri, range, stop); });
  }

  Json CodeActions(const std::string& uri, const Json& range, const std::stop_token& stop) {
    Json actions = Json::array();
    const std::optional<Target> target = TargetOf(uri, range);
    if (!target.has_value()) return actions;
    const verifier::Deadline deadline(kActionLimit, stop);
    if (target->answer != nullptr) AddFix(*target, deadline.token(), &actions);
    AddTildeAction(*target, deadline.token(), &actions);
    if (target->answer != nullptr && audit::ClassOf(*target->answer) == v1::VERDICT_PROVED) {
      actions.push_back(
          {{"title", "Generalize the rule: open sizes, vary constants, drop conditions"},
           {"kind", "refactor.rewrite"},
           {"command", {{"title", "Generalize"}, {"command", kGeneralizeCommand}, {"arguments", {uri, range}}}}});
    }
    if (target->rule.shadowed_by.has_value())
      AddEdit("Remove the rule, which is never applied", *target, RemoveRule(*target->lines, target->rule.range),
              &actions);
    return actions;
  }

  // Adds the suggested fix of a refuted rule. Drops the fix after a stop, because it may then be based on only some
  // cases.
  void AddFix(const Target& target, const std::stop_token& stop, Json* actions) {
    if (target.answer->value("verdict", "") != "refuted") return;
    const audit::Question& question = *target.rule.question;
    std::optional<Json> inferred = options_.verdicts->Find(audit::InferenceKey(question));
    if (!inferred.has_value()) {
      inferred = audit::Infer(question, *target.answer, ProverFor(stop));
      if (stop.stop_requested()) return;
      Store(audit::InferenceKey(question), *inferred);
    }
    AddSuggestion("Correct the rule", target, *inferred, actions);
  }

  // Verifies a rule without its `~`. If it is proved, adds the rule without `~`; if a fix makes it hold, adds the fix.
  void AddTildeAction(const Target& target, const std::stop_token& stop, Json* actions) {
    const std::optional<std::string> rule = WithoutTilde(target.text());
    if (!rule.has_value()) return;
    const auto question = audit::MakeQuestionAsWritten(*rule, target.rule.question->check, options_.limits);
    if (!question->entry.rule.ok()) return;
    const verifier::Prover prover = ProverFor(stop);
    const Json answer = audit::AnswerOf(*question, prover);
    if (stop.stop_requested()) return;
    if (audit::ClassOf(answer) == v1::VERDICT_PROVED)
      return AddSides("Remove ~: the rule holds bit for bit", target, *rule, actions);
    if (audit::ClassOf(answer) != v1::VERDICT_REFUTED) return;
    const Json inferred = audit::Infer(*question, answer, prover);
    if (!stop.stop_requested() && inferred.value("suggested_fix", Json::object()).value("change", "~") != "~")
      AddSuggestion("Replace ~ with the flags that the rule needs", target, inferred, actions);
  }

  static void AddSuggestion(const char* title, const Target& target, const Json& inferred, Json* actions) {
    if (!inferred.contains("suggested_fix")) return;
    const Json& fix = inferred["suggested_fix"];
    const std::string rule = fix.value("rule", "");
    AddSides(absl::StrCat(title, ": ", rule, " is ", fix.value("verdict", "")), target, rule, actions);
  }

  static void AddSides(const std::string& title, const Target& target, const std::string& rule, Json* actions) {
    if (const std::optional<Edit> edit = ReplaceSides(*target.lines, target.rule.range, rule))
      AddEdit(title, target, *edit, actions);
  }

  static void AddEdit(const std::string& title, const Target& target, const Edit& edit, Json* actions) {
    actions->push_back({{"title", title}, {"kind", "quickfix"}, {"edit", WorkspaceEdit(target, edit)}});
  }

  static Json WorkspaceEdit(const Target& target, const Edit& edit) {
    const Json change = {{"range", target.lines->RangeOf(edit.range)}, {"newText", edit.text}};
    return {{"changes", {{target.uri, Json::array({change})}}}};
  }

  // Returns an unresolved lens for each literal rule that can match harvested shaders.
  Json CodeLenses(const Json& params) {
    Json lenses = Json::array();
    const std::lock_guard<std::mutex> lock(mutex_);
    const OpenDocument document = Find(params.value("textDocument", Json::object()).value("uri", ""));
    if (document == nullptr || options_.store == nullptr) return lenses;
    for (const FileRule& rule : document->list().rules) {
      if (!rule.is_literal || !rule.question->entry.rule.ok()) continue;
      const std::string search = ir::PrintTerm(rule.question->entry.rule->search);
      if (!pipeline::CompilePattern(search).ok()) continue;  // an op or a flag that only Mesa 26 has
      lenses.push_back({{"range", document->lines()->RangeOf({rule.range.begin, rule.range.begin})}, {"data", search}});
    }
    return lenses;
  }

  void StartLens(const Json& id, const Json& lens) {
    const std::string search = lens.value("data", "");
    StartRequest(id, /*urgent=*/false, [this, search, lens](const std::stop_token& stop) {
      Json resolved = lens;
      const absl::StatusOr<pipeline::SiteCounts> counts = SitesOf(search, stop);
      resolved["command"] = {
          {"title", counts.ok()
                        ? absl::StrCat(Counted(counts->sites, "site"), " in ", Counted(counts->shaders, "shader"),
                                       " of ", Counted(counts->sources, "source"))
                        : absl::StrCat("cannot count the sites: ", counts.status().message())},
          {"command", ""}};
      return resolved;
    });
  }

  absl::StatusOr<pipeline::SiteCounts> SitesOf(const std::string& search, const std::stop_token& stop) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = sites_.find(search);
      if (found != sites_.end()) return found->second;
    }
    if (options_.store == nullptr) return absl::FailedPreconditionError("there is no database");
    const absl::StatusOr<ir::CompiledRule> pattern = pipeline::CompilePattern(search);
    if (!pattern.ok()) return pattern.status();
    const auto fragments = pipeline::FragmentsMatching(options_.store, *pattern, stop);
    if (!fragments.ok()) return fragments.status();
    const absl::StatusOr<pipeline::SiteCounts> counts = pipeline::CountSites(options_.store, *fragments, stop);
    if (!counts.ok()) return counts;
    const std::lock_guard<std::mutex> lock(mutex_);
    return sites_[search] = *counts;
  }

  void StartCommand(const Json& id, const Json& params) {
    const Json arguments = params.value("arguments", Json::array());
    if (params.value("command", "") != kGeneralizeCommand || arguments.size() != 2 || !arguments[0].is_string())
      return ReplyError(id, kMethodNotFound, "unknown command or invalid arguments");
    StartRequest(id, /*urgent=*/true, [this, arguments](const std::stop_token& stop) {
      Generalize(arguments[0].get<std::string>(), arguments[1], stop);
      return Json();
    });
  }

  void Generalize(const std::string& uri, const Json& range, const std::stop_token& stop) {
    const std::optional<Target> target = TargetOf(uri, range);
    if (!target.has_value()) return Show("no literal rule is selected");
    const ir::Rule& rule = *target->rule.question->entry.rule;
    pipeline::GeneralizeOptions generalize;
    generalize.check = target->rule.question->check;
    generalize.limit = kGeneralizeLimit;
    generalize.families = false;
    generalize.stop = stop;
    const absl::StatusOr<pipeline::GeneralizedRule> result = pipeline::Generalize(ProverFor(stop), rule, generalize);
    if (stop.stop_requested()) return;
    if (!result.ok()) return Show(absl::StrCat("the rule cannot be generalized: ", result.status().message()));
    const ir::SizeOptions options = ir::SizeOptionsIn(generalize.check.dialect);
    const std::string general = ir::DisplayRule(result->members[0], options);
    if (general == ir::DisplayRule(rule, options)) return Show("the rule is already general");
    const std::optional<Edit> edit = ReplaceSides(*target->lines, target->rule.range, general);
    if (!edit.has_value() || !IsCurrent(*target)) return Show("the text has changed; generalize the rule again");
    Send({{"id", absl::StrCat("rewrought ", ++sent_requests_)},
          {"method", "workspace/applyEdit"},
          {"params", {{"label", "Generalize the rule"}, {"edit", WorkspaceEdit(*target, *edit)}}}});
  }

  // Returns whether the text has not changed since TargetOf.
  bool IsCurrent(const Target& target) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const OpenDocument document = Find(target.uri);
    return document != nullptr && document->version() == target.version;
  }

  MessageWriter& writer_;
  const ServerOptions& options_;
  CharacterUnit unit_ = CharacterUnit::kUtf16;  // set before any document is open
  bool shut_down_ = false;
  std::atomic<int> sent_requests_ = 0;
  std::mutex mutex_;
  std::map<std::string, OpenDocument> documents_;  // by URI
  std::map<std::string, std::shared_ptr<const Json>> answers_;
  std::map<std::string, pipeline::SiteCounts> sites_;  // by search side
  std::map<std::string, Clock::time_point> published_;
  std::set<std::string> unpublished_;  // the documents that have answers since they were published
  std::set<std::string> pending_;      // the owners of requests without a reply
  std::set<std::string> to_import_;
  std::condition_variable_any import_wanted_;
  bool store_failed_ = false;
  // The threads end before the members above are destroyed.
  WorkQueue queue_;
  std::jthread importer_;
};

}  // namespace

absl::Status Serve(MessageReader* reader, MessageWriter* writer, const ServerOptions& options) {
  Server server(writer, options);
  for (;;) {
    const absl::StatusOr<std::optional<Json>> message = reader->Read();
    if (!message.ok()) return message.status();
    if (!message->has_value() || !server.Handle(**message)) break;
  }
  return server.was_shut_down() ? absl::OkStatus() : absl::AbortedError("the client exited without a shutdown request");
}

}  // namespace rewrought::lsp
