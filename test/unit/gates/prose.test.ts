import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { measureProse, readProse } from './measure-prose.ts'
import { ours } from './plant.ts'

/** Maximum number of dialect words per 1,000 words. Well-known libraries have one or two. */
const MAX_DIALECT = 5

/** A group with fewer words is not measured, because one dialect word would exceed the maximum. */
const MIN_WORDS = 200

describe('the check for plain English', () => {
  it('counts the dialect words of a planted sentence', () => {
    const { hits } = measureProse(['Whoever asks is told what nobody has answered.'])
    expect(hits).to.equal(6)
  })

  it('counts no dialect word in plain English or in code', () => {
    const { hits } = measureProse(['Returns the charge, or null if it does not exist. See `askNode(what)`.'])
    expect(hits).to.equal(0)
  })

  it('finds at most 5 dialect words per 1,000 in each room, each document and all test titles', () => {
    const excess = [...groupByRoom(listSources())].flatMap(([room, paths]) => {
      const { words, hits, found } = measureProse(paths.flatMap((path) => readProse(ours(path))))
      const density = (1000 * hits) / Math.max(words, 1)
      if (words < MIN_WORDS || density <= MAX_DIALECT) return []
      return [`${room}: ${density.toFixed(1)}\n  ${found.slice(0, 10).join('\n  ')}`]
    })
    expect(excess.join('\n')).to.equal('')
  })
})

function listSources(): readonly string[] {
  const inTrees = ['api', 'indexer', 'machines', 'shared', 'test', 'docs'].flatMap((tree) =>
    readdirSync(ours(tree), { recursive: true, encoding: 'utf8' }).map((path) => `${tree}/${path}`),
  )
  return [...inTrees, ...readdirSync(ours('.')).filter((path) => path.endsWith('.md'))]
    .filter((path) => /\.(ts|sql|md)$/.test(path) && !path.endsWith('api-types.ts'))
    .filter((path) => !path.startsWith('test/') || path.endsWith('.test.ts'))
}

/**
 * Groups the files: each document is a group, all tests are one group, and sources are grouped by the first two folders
 * of their path.
 */
function groupByRoom(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const rooms = new Map<string, string[]>()
  for (const path of paths) {
    const room = path.endsWith('.md')
      ? path
      : path.startsWith('test/')
        ? 'test titles'
        : dirname(path).split('/', 2).join('/')
    rooms.set(room, [...(rooms.get(room) ?? []), path])
  }
  return rooms
}
