/**
 * Prints which test gets which answer of which endpoint, and fails if one that an endpoint tells of is got by none.
 *
 * `node --import tsx test/runner/report-answers.ts <directory>`, after the tests have written what they recorded there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedAnswers } from '../support/record-answers.ts'

/** Answered through a defect of ours alone, so that no test can ask for it. */
const DEFECT = 'internal_error'

const directory = process.argv[2] ?? ''
const recorded = readdirSync(directory).map(
  (file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as RecordedAnswers,
)
if (recorded.length === 0) throw new Error(`no tests have recorded answers in ${directory}`)

const declared = Object.assign({}, ...recorded.map((each) => each.declared)) as RecordedAnswers['declared']
const missing = Object.entries(declared).flatMap(([endpoint, codes]) => {
  console.log(`\n${endpoint}`)
  const found = codes.map((code) => ({ code, test: testOf(endpoint, code) }))
  for (const test of new Set(found.flatMap((answer) => answer.test ?? []))) {
    const gets = found.filter((answer) => answer.test === test).map(({ code }) => code)
    console.log(`  ${gets.join(' ')}  ← ${test}`)
  }
  return found
    .filter(({ code, test }) => test === undefined && code !== DEFECT)
    .map(({ code }) => `${endpoint}  ${code}`)
})

const answers = Object.values(declared).reduce((sum, codes) => sum + codes.length, 0)
console.log(
  `\n${Object.keys(declared).length} endpoints, ${answers} answers, ${missing.length} without a test`,
)
for (const answer of missing) console.log(`  MISSING ${answer}`)
process.exitCode = missing.length === 0 ? 0 : 1

function testOf(endpoint: string, code: string): string | undefined {
  return recorded.map(({ tests }) => tests[endpoint]?.[code]).find((test) => test !== undefined)
}
