-- Edits a rule file in neovim with the language server, and prints what the editor shows.
-- usage: nvim --headless -u NONE -l or -S neovim_session.lua, with REWROUGHT, VERDICTS, and FILE in the environment
local file = os.getenv('FILE')

local function say(text)
  io.stdout:write(text .. '\n')
end

local function fail(text)
  say('FAILED: ' .. text)
  vim.cmd('cquit 1')
end

-- Waits until test() returns a true value, and returns it.
local function wait(what, test)
  local value
  if not vim.wait(60000, function()
    value = test()
    return value
  end, 20) then
    fail('timeout: ' .. what)
  end
  return value
end

local severities = {'error', 'warning', 'information', 'hint'}

-- Returns the diagnostics of a line, counted from 1, or nil if there is none.
local function diagnostics_at(line)
  local found = vim.diagnostic.get(0, {lnum = line - 1})
  return #found > 0 and found or nil
end

local function show_line(line)
  say(string.format('%3d: %s', line, vim.fn.getline(line)))
  for _, one in ipairs(diagnostics_at(line) or {}) do
    say('     ' .. severities[one.severity] .. ': ' .. one.message:gsub('\n', '\n            '))
  end
end

vim.cmd('edit ' .. file)
local client = vim.lsp.start_client({
  name = 'rewrought',
  cmd = {os.getenv('REWROUGHT'), 'lsp', '--verdicts', os.getenv('VERDICTS'), '--machine', 'ir3_a6xx'},
})
vim.lsp.buf_attach_client(0, client)
wait('the server', function() return vim.lsp.buf_is_attached(0, client) end)

local function line_of(text)
  return vim.fn.search('\\V' .. text, 'wn')
end

local function typed(line, text, expected)
  vim.fn.setline(line, text)
  wait('the verdict on ' .. text, function()
    for _, one in ipairs(diagnostics_at(line) or {}) do
      if one.message:match('^' .. expected) then return true end
    end
  end)
  show_line(line)
end

local function request(method, params)
  local replies = vim.lsp.buf_request_sync(0, method, params, 60000)
  return replies[client].result
end

say('== The file is opened')
local wrong = line_of("('isub', a, b)")
wait('the first verdict', function() return diagnostics_at(wrong) end)
show_line(wrong)

say('')
say('== A rule is typed')
local line = wrong + 1
vim.fn.append(wrong, '')
typed(line, "   (('fadd', a, 0.0), a),", 'refuted')

say('')
say('== A hover')
vim.api.nvim_win_set_cursor(0, {line, 6})
local hover = request('textDocument/hover', vim.lsp.util.make_position_params())
say(hover.contents.value)

say('')
say('== A code action')
local params = vim.lsp.util.make_range_params()
params.context = {diagnostics = {}}
local actions = request('textDocument/codeAction', params)
for _, action in ipairs(actions) do say('action: ' .. action.title) end
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
wait('the verdict on the corrected rule', function()
  for _, one in ipairs(diagnostics_at(line) or {}) do
    if one.message:match('^proved') then return true end
  end
end)
show_line(line)

say('')
say('== A special rule is generalized')
vim.fn.append(line, '')
line = line + 1
typed(line, "   (('iand@32', a, ('inot', a)), 0),", 'proved')
vim.api.nvim_win_set_cursor(0, {line, 6})
params = vim.lsp.util.make_range_params()
params.context = {diagnostics = {}}
local before = vim.fn.getline(line)
for _, action in ipairs(request('textDocument/codeAction', params)) do
  say('action: ' .. action.title)
  if action.command then request('workspace/executeCommand', action.command) end
end
wait('the general rule', function() return vim.fn.getline(line) ~= before end)
wait('the verdict on the general rule', function()
  local found = diagnostics_at(line)
  return found and found[1].message:match('^proved at 1,')
end)
show_line(line)

say('')
say('== A closing bracket is missing')
local last = line_of(']')
vim.fn.setline(last, '')
wait('the syntax error', function()
  for _, one in ipairs(vim.diagnostic.get(0)) do
    if one.code == 'unreadable' then
      say(string.format('line %d: %s', one.lnum + 1, one.message))
      return true
    end
  end
end)

vim.lsp.stop_client(client)
wait('the end of the server', function() return vim.lsp.client_is_stopped(client) end)
vim.cmd('qall!')
