/** Checks the contracts: format, sizes, gas and tests. `FOUNDRY_PROFILE` sets the duration of fuzzing. */
import { runForge } from './forge.ts'

runForge(['fmt', '--check'])
runForge(['build', '--sizes'])
// Only these tests are compared with the snapshot, because the gas cost of fuzz tests varies.
runForge(['snapshot', '--check', '--match-path', 'contracts/test/gas.t.sol'])
runForge(['test'])
