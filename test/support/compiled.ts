import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/** What our programs are made of; the rest is linked. */
const ROOMS = ['shared', 'machines', 'indexer', 'api']
const LINKED = ['node_modules', 'package.json', 'contracts']

/**
 * Answers the JavaScript of one of our programs, as the build makes it, from the sources as they are now.
 *
 * A command that tsx starts spends 1.5 s of computing, of which it takes 0.7 to pass each module of its packages
 * through tsx, and 1.5 where viem is among them (2026-11-22). A source is compiled when the first program needs it, in
 * 10 ms, for as long as this process lives.
 *
 * @param file - in the repository, such as `indexer/commands/keys.ts`
 */
export function compiled(file: string): string {
  directory ??= prepare()
  compileReached(file, directory)
  return join(directory, inJavaScript(file))
}

/** Set by the first `compiled`. */
let directory: string | undefined

function prepare(): string {
  const target = mkdtempSync(join(tmpdir(), 'compiled-'))
  process.once('exit', () => rmSync(target, { recursive: true, force: true }))
  for (const name of LINKED) symlinkSync(join(REPOSITORY, name), join(target, name))
  // What is read at run time beside the code: migrations.
  const filter = (path: string) => !/\.ts$|\.ponder$/.test(path)
  for (const room of ROOMS) cpSync(join(REPOSITORY, room), join(target, room), { recursive: true, filter })
  return target
}

/** Compiles a source and all that it imports of ours, but for what has been already. */
function compileReached(file: string, target: string): void {
  const output = join(target, inJavaScript(file))
  if (existsSync(output)) return
  const text = readFileSync(join(REPOSITORY, file), 'utf8')
  mkdirSync(dirname(output), { recursive: true })
  writeFileSync(output, ts.transpileModule(text, { compilerOptions }).outputText)
  for (const { fileName } of ts.preProcessFile(text).importedFiles) {
    if (fileName.startsWith('.')) compileReached(join(dirname(file), fileName), target)
  }
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
}

function inJavaScript(file: string): string {
  return file.replace(/\.ts$/, '.js')
}
