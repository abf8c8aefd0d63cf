/** Checks the contracts: their format, sizes, gas and tests. `FOUNDRY_PROFILE` says how long to fuzz. */
import { runForge } from './forge.ts'

runForge(['fmt', '--check'])
runForge(['build', '--sizes'])
// Only these tests have one cost; the others are fuzzed.
runForge(['snapshot', '--check', '--match-path', 'contracts/test/gas.t.sol'])
runForge(['test'])
