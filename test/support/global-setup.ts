import type { Context, RootHookObject } from 'mocha'
import { endWithParent } from './end-with-parent.ts'
import { stopTestPostgres } from './postgres.ts'
import { noteTest, saveResponses } from './record-answers.ts'
import { endUnshared } from './shared-by-files.ts'

/** Around every test: what its file does not share ends, and it is known whose answers are recorded. */
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

/** Runs once after all tests: ends what their files share, of which the first that asked for it started it. */
export async function mochaGlobalTeardown(): Promise<void> {
  saveResponses()
  await endUnshared(null)
  await stopTestPostgres()
}
