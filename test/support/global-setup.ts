import type { Context, RootHookObject } from 'mocha'
import { endWithParent } from './end-with-parent.ts'
import { stopTestPostgres } from './postgres.ts'
import { noteTest, saveResponses } from './record-answers.ts'
import { endUnshared } from './shared-by-files.ts'

/**
 * Runs around every test: ends fixtures that the test's file does not share, and sets the test for which responses are
 * recorded.
 */
export const mochaHooks: RootHookObject = {
  async beforeEach(this: Context) {
    const file = this.currentTest?.file
    if (file !== undefined) await endUnshared(file)
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

/** Runs once after all tests: saves the recorded responses, and ends the shared fixtures and PostgreSQL. */
export async function mochaGlobalTeardown(): Promise<void> {
  saveResponses()
  await endUnshared(null)
  await stopTestPostgres()
}
