import type { paths } from './api-types.ts'

export type ExportQuery = paths['/v1/accounting/entries']['get']['parameters']['query']

/** The text of one or more whole entries of an export, as received. */
export type ExportPart = {
  readonly text: string
  readonly entries: number
  /** The id of the last entry; `null` if the text contains no entry. */
  readonly lastEntryId: string | null
}

/** Splits the text of an export into whole entries. */
export type EntrySplitter = {
  /** Adds received text. Returns the whole entries so far, and keeps the rest. */
  readonly push: (text: string) => ExportPart
  /** Returns the kept rest after the end of a complete response. */
  readonly finish: () => ExportPart
  /** Drops the kept rest of a truncated response. */
  readonly restart: () => void
}

type Block = { readonly text: string; readonly id: string | null }

/**
 * Creates the splitter of an export. An entry counts as whole once the next entry begins.
 *
 * @throws {Error} if the columns of CSV or JSON do not include `entry_id`
 */
export function createEntrySplitter({ format = 'csv', columns }: ExportQuery): EntrySplitter {
  const { pattern, findId } = createFormat(format, columns?.split(',') ?? ['entry_id'])
  let rest = ''
  let waiting: Block[] = []

  function take(text: string): void {
    rest += text
    let end = 0
    for (const match of rest.matchAll(pattern)) {
      const [block] = match
      waiting.push({ text: block, id: findId(block) })
      end = match.index + block.length
    }
    rest = rest.slice(end)
  }

  function restart(): void {
    waiting = []
    rest = ''
  }

  return {
    push: (text) => {
      take(text)
      const last = waiting.at(-1)?.id
      const whole = waiting.findIndex(({ id }) => id === last)
      // Keep the text before the first entry, such as the CSV header, until that entry is whole. A part without an
      // entry has no id to continue the export after.
      if (!waiting.slice(0, whole).some(({ id }) => id !== null)) return NOTHING
      return toPart(waiting.splice(0, whole))
    },
    finish: () => {
      const part = toPart([...waiting, { text: rest, id: null }])
      restart()
      return part
    },
    restart,
  }
}

const NOTHING: ExportPart = { text: '', entries: 0, lastEntryId: null }

function toPart(blocks: readonly Block[]): ExportPart {
  const ids = blocks.map(({ id }) => id).filter((id) => id !== null)
  return {
    text: blocks.map(({ text }) => text).join(''),
    entries: new Set(ids).size,
    lastEntryId: ids.at(-1) ?? null,
  }
}

/**
 * Returns the pattern of one block, and the function that finds the entry's id in the block. A block is a CSV record, a
 * line of JSON, or a journal entry with the empty line after it.
 */
function createFormat(format: NonNullable<ExportQuery['format']>, columns: readonly string[]) {
  const hasId = columns.includes('entry_id')
  if ((format === 'csv' || format === 'json') && !hasId) throw new Error('columns must include entry_id')
  switch (format) {
    case 'csv': {
      const cell = columns.indexOf('entry_id')
      return {
        // Quoted cells may contain line breaks. Two quotes in a quoted cell match as the end of one quoted part and the
        // start of the next.
        pattern: /(?:"[^"]*"|[^"\r\n])+\r\n/gy,
        findId: (block: string) => findCell(block, cell),
      }
    }
    case 'json':
      return {
        pattern: /[^\n]+\n/gy,
        findId: (block: string) => (JSON.parse(block) as { entryId: string }).entryId,
      }
    case 'hledger':
      return {
        pattern: /(?:[^\n]+\n)+\n/gy,
        findId: (block: string) => /^\S+ \* \((\w+)\)/.exec(block)?.[1] ?? null,
      }
    case 'beancount':
      return {
        pattern: /(?:[^\n]+\n)+\n/gy,
        findId: (block: string) => /^ {2}entry: "(\w+)"/m.exec(block)?.[1] ?? null,
      }
  }
}

/** Returns the entry's id in a CSV record; `null` for the header row. */
function findCell(record: string, index: number): string | null {
  const cells = Array.from(record.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/g), ([, cell = '']) => cell)
  const id = cells[index] ?? null
  return id === 'entry_id' ? null : id
}
