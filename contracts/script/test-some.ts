/** Runs the tests of FILE whose names match: `node --import tsx contracts/script/test-some.ts FILE PATTERN`. */
import { runForge } from './forge.ts'

const [file = '', pattern = ''] = process.argv.slice(2)
runForge(['test', '--match-path', file, '--match-test', pattern])
