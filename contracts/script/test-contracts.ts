/**
 * Checks the format, sizes, committed artifacts and gas of the contracts, and runs their tests. `FOUNDRY_PROFILE` sets
 * the duration of fuzzing.
 */
import { runForge } from './forge.ts'
import { generateFiles } from './generated-files.ts'
import { requireCommitted } from './require-committed.ts'

runForge(['fmt', '--check'])
// `--force`, because the artifacts must equal a clean build's output.
runForge(['build', '--sizes', '--force'])
requireCommitted(generateFiles('contracts/out'))
// The snapshot contains only these tests, because the gas cost of fuzz tests varies.
runForge(['snapshot', '--check', '--match-path', 'contracts/test/gas.t.sol'])
runForge(['test'])
