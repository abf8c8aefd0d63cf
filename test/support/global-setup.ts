import type { Context, RootHookObject } from 'mocha'
import { endWithParent } from './end-with-parent.ts'
import { stopTestPostgres } from './postgres.ts'
import { noteTest, saveResponses } from './record-answers.ts'
import { endUnshared } from './shared-by-files.ts'

/** Before every test, stops the fixtures that its file does not share, and records responses under the test's title. */
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

/** Runs once after all tests: saves the recorded responses, and stops the shared fixtures and PostgreSQL. */
export async function mochaGlobalTeardown(): Promise<void> {
  saveResponses()
  await endUnshared(null)
  await stopTestPostgres()
}
