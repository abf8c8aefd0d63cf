import type { Context, RootHookObject } from 'mocha'
import { endAll } from './at-end.ts'
import { endWithParent } from './end-with-parent.ts'
import { stopTestPostgres } from './postgres.ts'
import { noteTest, saveAnswers } from './record-answers.ts'

/** Around every test: whose answers are recorded. */
export const mochaHooks: RootHookObject = {
  beforeEach(this: Context) {
    noteTest(this.currentTest?.titlePath().join(' › ') ?? null)
  },
  afterEach() {
    noteTest(null)
  },
}

/** Runs once before all tests. */
export function mochaGlobalSetup(): void {
  endWithParent()
}

/** Runs once after all tests: ends what their files share, of which the first that asked for it started it. */
export async function mochaGlobalTeardown(): Promise<void> {
  saveAnswers()
  await endAll()
  await stopTestPostgres()
}
