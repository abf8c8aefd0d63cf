/**
 * Prints, for each documented response of each endpoint, a test that receives it. Fails if a response other than
 * `internal_error` has no such test.
 *
 * `node --import tsx test/runner/report-answers.ts <directory>` must run after the tests have written their records to
 * the directory.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedAnswers } from '../support/record-answers.ts'

/** Error code that only a defect in our code causes, so no test can cause it. */
const DEFECT = 'internal_error'

const directory = process.argv[2] ?? ''
const recorded = readdirSync(directory).map(
  (file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as RecordedAnswers,
)
if (recorded.length === 0) throw new Error(`${directory} contains no recorded responses`)

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
  `\n${Object.keys(declared).length} endpoints, ${answers} responses, ${missing.length} without a test`,
)
for (const answer of missing) console.log(`  MISSING ${answer}`)
process.exitCode = missing.length === 0 ? 0 : 1

function testOf(endpoint: string, code: string): string | undefined {
  return recorded.map(({ tests }) => tests[endpoint]?.[code]).find((test) => test !== undefined)
}
