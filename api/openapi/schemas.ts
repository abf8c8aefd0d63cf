import type { TSchema } from '@sinclair/typebox'
import { invariant } from '../../shared/domain/errors.ts'
import type { SchemaJson } from './openapi-types.ts'

/** Whether a schema says what is taken or what is answered. */
type Direction = 'request' | 'answer'

/** The schemas of a document, of which those with a title become its components. */
export type Schemas = {
  /** Writes a schema as the document has it: its title's component, or itself. */
  readonly write: (schema: TSchema, direction: Direction) => SchemaJson
  /** Writes every component there has been so far, by name. */
  readonly components: () => Readonly<Record<string, SchemaJson>>
}

/**
 * Makes the collection.
 *
 * What is answered may grow by new fields (specification, "Versioning"), so only what is taken says that it takes no
 * others; a component that is both says nothing.
 */
export function createSchemas(): Schemas {
  const sources = new Map<string, { readonly schema: object; readonly text: string; isAnswered: boolean }>()

  function write(schema: object, direction: Direction): SchemaJson {
    const name = titleOf(schema)
    if (name === null) return writeContent(schema, direction)
    note(name, { schema, direction })
    return { $ref: `#/components/schemas/${name}` }
  }

  function note(name: string, use: { schema: object; direction: Direction }): void {
    const text = JSON.stringify(use.schema)
    const known = sources.get(name)
    invariant(known === undefined || known.text === text, `two schemas have the title ${name}, and differ`)
    const isNews = known === undefined || (use.direction === 'answer' && !known.isAnswered)
    if (!isNews) return
    sources.set(name, { schema: use.schema, text, isAnswered: use.direction === 'answer' })
    writeContent(use.schema, use.direction) // For what is inside it, which is taken or answered likewise.
  }

  function writeContent(schema: object, direction: Direction): SchemaJson {
    const entries = Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === 'additionalProperties' && value === false && direction === 'answer') return []
      return [[keyword, writeKeyword(keyword, { value, direction })]]
    })
    return Object.fromEntries(entries) as SchemaJson
  }

  function writeKeyword(keyword: string, { value, direction }: { value: unknown; direction: Direction }) {
    switch (keyword) {
      case 'properties':
        return Object.fromEntries(
          Object.entries(value as Record<string, object>).map(([name, property]) => [
            name,
            write(property, direction),
          ]),
        )
      case 'items':
        return write(value as object, direction)
      case 'anyOf':
        return (value as readonly object[]).map((schema) => write(schema, direction))
      default:
        return value
    }
  }

  return {
    write,
    components: () =>
      Object.fromEntries(
        [...sources]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, { schema, isAnswered }]) => [
            name,
            writeContent(schema, isAnswered ? 'answer' : 'request'),
          ]),
      ),
  }
}

function titleOf(schema: object): string | null {
  return 'title' in schema && typeof schema.title === 'string' ? schema.title : null
}
