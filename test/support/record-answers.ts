import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Koa from 'koa'
import { listErrorCodes } from '../../api/docs/openapi/error-codes.ts'
import type { Route } from '../../api/http/route.ts'

/** What a process of tests got from which endpoint, by the first test that did; read by `test/runner/report-answers.ts`. */
export type RecordedAnswers = {
  /** By endpoint, such as `GET /v1/charges/:id`: `success` and every error code it tells of. */
  readonly declared: Readonly<Record<string, readonly string[]>>
  /** By endpoint and code. */
  readonly tests: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const declared: Record<string, readonly string[]> = {}
const tests: Record<string, Record<string, string>> = {}

/** The test that runs; set by `noteTest`. What is answered outside of one, in a hook, is no test of it. */
let title: string | null = null

/** Says which test runs from now on, or that none does. */
export function noteTest(runs: string | null): void {
  title = runs
}

/** Records every answer of an app under test, whoever asked for it. */
export function recordResponses(app: Koa, routes: readonly Route[]): void {
  for (const route of routes) declared[nameOf(route)] = ['success', ...listErrorCodes(route)]
  // Within the outermost, which turns an answer into the bytes that are written.
  app.middleware.splice(1, 0, async (ctx, next) => {
    await next()
    const { _matchedRoute: path } = ctx as unknown as { _matchedRoute?: string }
    const name = `${ctx.method} ${path}`
    if (title === null || declared[name] === undefined) return
    const of = (tests[name] ??= {})
    of[codeOf(ctx)] ??= title
  })
}

/** Writes down what was recorded where the run collects it, if it does. */
export function saveResponses(): void {
  const directory = process.env['ANSWERS_DIRECTORY'] // oxlint-disable-line no-process-env -- where is a setting of the run
  if (directory === undefined || Object.keys(tests).length === 0) return
  const answers: RecordedAnswers = { declared, tests }
  writeFileSync(join(directory, `${process.pid}.json`), JSON.stringify(answers))
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}

function codeOf(ctx: Koa.Context): string {
  const { error } = (ctx.body ?? {}) as { error?: { code?: string } }
  return ctx.status < 300 ? 'success' : (error?.code ?? String(ctx.status))
}
