import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { LAYERS_TOP_DOWN } from '../../../.dependency-cruiser.mjs'
import { ours } from '../gates/plant.ts'

const MAX_LINES = 200
const MAX_FILES = 7

const rooms = ['indexer', 'api'].flatMap((tree) =>
  readdirSync(ours(tree), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${tree}/${entry.name}`] : [],
  ),
)
const READMES = [
  'api',
  'machines',
  ...['chain', 'db', 'domain', 'runtime'].map((name) => `shared/${name}`),
  ...rooms,
].map((room) => `${room}/README.md`)

/** A path through the code: its name, and the text that lists its files. */
type Path = { readonly name: string; readonly text: string }

function read(document: string): string {
  return existsSync(ours(document)) ? readFileSync(ours(document), 'utf8') : ''
}

function section(document: string, heading: string): string {
  const [, text = ''] = read(document).split(`\n## ${heading}\n`)
  return text.split('\n## ')[0] ?? ''
}

/** Returns the rooms in the first column of the tree's table, in order. */
function listTableRooms(tree: string): readonly string[] {
  const [, table = ''] = section('ARCHITECTURE.md', 'The rooms').split(`| \`${tree}/\` |`)
  const rows = (table.split('\n\n')[0] ?? '').match(/^\| `[^|]+/gm) ?? []
  return rows.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, room = '']) => room))
}

/** Returns the paths of ARCHITECTURE.md. Each path is a heading with a numbered list. */
function listMainPaths(): readonly Path[] {
  const [, ...paths] = section('ARCHITECTURE.md', 'Four paths').split('\n### ')
  return paths.map((text) => ({ name: text.split('\n')[0] ?? '', text }))
}

/** Returns the paths of a room. Each path is a paragraph that starts with a bold name. */
function listRoomPaths(readme: string): readonly Path[] {
  return section(readme, 'Paths')
    .split('\n\n')
    .flatMap((text) => {
      const [, name] = /^\s*\*\*(.+?)\.\*\*/.exec(text) ?? []
      return name === undefined ? [] : [{ name, text }]
    })
}

/** Returns the cited files, relative to the repository or to the document's folder. */
function listFiles(text: string): readonly string[] {
  return [...text.matchAll(/`([\w./-]+\.(?:ts|mjs|md))`/g)].map(([, file = '']) => file)
}

function findMissing(document: string, text: string): readonly string[] {
  return listFiles(text).filter(
    (file) => !existsSync(ours(file)) && !existsSync(ours(join(dirname(document), file))),
  )
}

describe('ARCHITECTURE.md', () => {
  it(`has at most ${MAX_LINES} lines`, () => {
    expect(read('ARCHITECTURE.md').trimEnd().split('\n')).to.have.length.at.most(MAX_LINES)
  })

  for (const tree of ['indexer', 'api'])
    it(`lists the rooms of ${tree} in the order of their layers`, () => {
      expect(listTableRooms(tree)).to.deep.equal(LAYERS_TOP_DOWN[tree])
    })

  it('has four paths', () => {
    expect(listMainPaths()).to.have.length(4)
  })

  for (const { name, text } of listMainPaths())
    it(`lists one to ${MAX_FILES} files for the path “${name}”`, () => {
      expect(text.match(/^\d+\. /gm)).to.have.length.within(1, MAX_FILES)
      for (const line of text.match(/^\d+\. .*/gm) ?? []) expect(listFiles(line), line).to.not.deep.equal([])
    })
})

for (const document of ['ARCHITECTURE.md', ...READMES])
  describe(`the files that ${document} cites`, () => {
    it('exist', () => {
      expect(listFiles(read(document))).to.not.deep.equal([])
      expect(findMissing(document, read(document))).to.deep.equal([])
    })

    for (const { name, text } of listRoomPaths(document))
      it(`are one to ${MAX_FILES} for the path “${name}”`, () => {
        expect(listFiles(text)).to.have.length.within(1, MAX_FILES)
      })
  })
