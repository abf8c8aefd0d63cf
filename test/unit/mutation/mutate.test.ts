import { expect } from 'chai'
import { mutate } from '../../mutation/mutate.ts'
import { findUnknownNames } from '../../mutation/names.ts'

const CODE = `import { findVerdict } from './quorum.ts'

export function decide(reports: readonly Report[], { quorum }: Rule): Verdict {
  const silent = reports.filter((report) => report === null)
  // The order of reports does not matter.
  if (reports.length - silent.length >= quorum) return findVerdict(
    reports,
    quorum,
  )
  return { silent }
}

export function isQuiet(reports: readonly Report[]): boolean {
  return reports.length === 0
}
`

const CONDITION = 'reports.length - silent.length >= quorum'

describe('a mutant', () => {
  it('replaces the given code in its declaration', () => {
    expect(without(CODE, { name: 'isQuiet', take: 'reports.length === 0', put: 'false' })).to.equal(
      CODE.replace('reports.length === 0', 'false'),
    )
  })

  it('finds the code in any formatting', () => {
    const take = 'findVerdict(reports, quorum)'
    expect(without(CODE, { take, put: 'null' })).to.include('>= quorum) return null\n')
    const broken = CODE.replace(CONDITION, 'reports.length // all\n - silent.length\n    >= quorum')
    expect(without(broken, { take: CONDITION, put: 'true' })).to.include('if (true) return')
  })

  it('finds code inside a template literal', () => {
    const sql = 'const list = (sql: Sql, id: string) => sql`\n  select 1 where id = ${id}\n    and open`'
    const mutated = without(sql, { name: 'list', take: 'where id = ${id} and open`', put: '`' })
    expect(mutated).to.equal('const list = (sql: Sql, id: string) => sql`\n  select 1 `')
  })

  it('finds the code after variables were renamed, and uses their new names', () => {
    const renamed = CODE.replaceAll('silent', 'absent').replaceAll(/\breports\b/g, 'responses')
    expect(
      without(renamed, { take: CONDITION, put: '[reports, silent].every(({ length }) => length >= quorum)' }),
    ).to.include('if ([responses, absent].every(({ length }) => length >= quorum)) return')
  })

  it('keeps the names of properties when it renames variables', () => {
    const renamed = CODE.replaceAll(/\breports\b/g, 'responses')
    const mutated = without(renamed, { take: CONDITION, put: 'isEnough({ reports }, reports.reports)' })
    expect(mutated).to.include('if (isEnough({ reports: responses }, responses.reports)) return')
  })

  const CHANGES = [
    ['a renamed function', 'findVerdict(', 'findDecision('],
    ['a renamed property', 'silent.length', 'silent.size'],
    ['a changed condition', '>= quorum', '> quorum'],
    ['a variable that was replaced by another list', 'silent.length', 'reports.length'],
    ['a variable that was replaced by a number', 'silent.length', 'quorum.length'],
  ] as const
  for (const [title, from, to] of CHANGES)
    it(`does not find ${title}`, () => {
      const take = `if (${CONDITION}) return findVerdict(reports`
      expect(() => without(CODE.replace(from, to), { take, put: '' })).to.throw('occurs 0 times in')
    })

  it('does not match two names with one variable', () => {
    const code = 'function add(left: bigint) {\n  return left + left\n}'
    expect(() => without(code, { name: 'add', take: 'first + second', put: '' })).to.throw('occurs 0 times')
  })

  it('throws an error with its rule if the code occurs several times', () => {
    expect(() => without(CODE, { take: 'reports', put: '' })).to.throw(
      '“A quorum decides.”: "reports" occurs 4 times in code.ts#decide, not once',
    )
  })

  it('throws an error with its rule if the declaration does not exist', () => {
    expect(() => without(CODE, { name: 'judge', take: 'reports', put: '' })).to.throw(
      '“A quorum decides.”: code.ts#judge does not exist',
    )
  })

  it('has an unknown name if neither the code nor Node defines the name', () => {
    const put = 'isAbsent(Math.max(reports.silent, 1))'
    expect(findUnknownNames(CODE, without(CODE, { take: CONDITION, put }))).to.deep.equal(['isAbsent'])
  })

  it('finds code only in the named SQL function', () => {
    const sql =
      'create function one() returns int\nas $$\n  select 1\n$$;\ngrant execute on function one to svc;\n' +
      'create function two() returns int\nas $$\n  select 1\n$$;\n'
    expect(mutateSql(sql, 'two')).to.equal(`${sql.slice(0, sql.lastIndexOf('1'))}2\n$$;\n`)
    expect(() => mutateSql(sql.replace('select 1', 'select 0'), 'one')).to.throw('occurs 0 times')
  })
})

type Edit = { readonly name?: string; readonly take: string; readonly put: string }

function without(text: string, { name = 'decide', take, put }: Edit): string {
  return mutate(text, { rule: 'A quorum decides.', at: `code.ts#${name}`, take, put })
}

function mutateSql(text: string, name: string): string {
  return mutate(text, { rule: 'r', at: `f.sql#${name}`, take: 'select 1', put: 'select 2' })
}
