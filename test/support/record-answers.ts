import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Koa from 'koa'
import { listErrorCodes } from '../../api/docs/openapi/error-codes.ts'
import type { Route } from '../../api/http/route.ts'

/**
 * The kinds of response that one test process received, each with the first test that received it. Read by
 * `test/runner/report-answers.ts`.
 */
export type RecordedAnswers = {
  /** By endpoint, such as `GET /v1/charges/:id`: `success` and every documented error code. */
  readonly declared: Readonly<Record<string, readonly string[]>>
  /** Title of the first test, by endpoint and code. */
  readonly tests: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const declared: Record<string, readonly string[]> = {}
const tests: Record<string, Record<string, string>> = {}

/** Title of the running test; `null` between tests, when responses are not recorded. */
let title: string | null = null

/** Sets the title of the running test; `null` if none is running. */
export function noteTest(runs: string | null): void {
  title = runs
}

/** Records the first response of each kind that each endpoint of an app returns during tests. */
export function recordResponses(app: Koa, routes: readonly Route[]): void {
  for (const route of routes) declared[nameOf(route)] = ['success', ...listErrorCodes(route)]
  // Inserted inside the outermost middleware, because the outermost middleware serializes the response.
  app.middleware.splice(1, 0, async (ctx, next) => {
    await next()
    const { _matchedRoute: path } = ctx as unknown as { _matchedRoute?: string }
    const name = `${ctx.method} ${path}`
    if (title === null || declared[name] === undefined) return
    const of = (tests[name] ??= {})
    of[codeOf(ctx)] ??= title
  })
}

/** Writes the recorded responses, if any, to a file in ANSWERS_DIRECTORY, if set. The test run collects the files. */
export function saveResponses(): void {
  const directory = process.env['ANSWERS_DIRECTORY'] // oxlint-disable-line no-process-env -- the run sets the directory
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
