import { stopTestPostgres } from './postgres.ts'

/** Runs once after all tests; the server was started by the first test that asked for a database. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopTestPostgres()
}
