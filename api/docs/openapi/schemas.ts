import type { TObject, TSchema } from '@sinclair/typebox'
import { invariant } from '../../../shared/domain/errors.ts'
import { getDescribedSchema, getExtendedSchema } from '../../http/schema.ts'
import type { SchemaJson } from './openapi-types.ts'

/** Whether a schema describes a request or a response. */
type Direction = 'request' | 'answer'

/** The schemas of a document. Schemas with a title become components. */
export type Schemas = {
  /** Returns a schema for the document: a reference to its component if it has a title, otherwise the schema itself. */
  readonly write: (schema: TSchema, direction: Direction) => SchemaJson
  /** Returns every component used so far, by name. */
  readonly components: () => Readonly<Record<string, SchemaJson>>
}

/**
 * Creates the collection of schemas.
 *
 * Responses may get new fields (specification, "Versioning"). So `additionalProperties: false` is written only for
 * schemas that no response uses.
 */
export function createSchemas(): Schemas {
  const sources = new Map<string, { readonly schema: object; readonly text: string; isAnswered: boolean }>()

  function write(schema: object, direction: Direction): SchemaJson {
    const described = getDescribedSchema(schema)
    if (described !== null) {
      return { ...write(described.schema, direction), description: described.description }
    }
    const name = titleOf(schema)
    if (name === null) return writeContent(schema, direction)
    register(name, { schema, direction })
    return { $ref: `#/components/schemas/${name}` }
  }

  function register(name: string, use: { schema: object; direction: Direction }): void {
    const text = JSON.stringify(use.schema)
    const known = sources.get(name)
    invariant(known === undefined || known.text === text, `two different schemas have the title ${name}`)
    const isNew = known === undefined || (use.direction === 'answer' && !known.isAnswered)
    if (!isNew) return
    sources.set(name, { schema: use.schema, text, isAnswered: use.direction === 'answer' })
    writeContent(use.schema, use.direction) // Registers the nested schemas for the same direction.
  }

  function writeContent(schema: object, direction: Direction): SchemaJson {
    const content = writeKeywords(schema, direction)
    const base = getExtendedSchema(schema)
    if (base === null) return content
    // In a request, `additionalProperties: false` of the base would forbid the other fields.
    invariant(direction === 'answer', `${titleOf(schema)} extends another schema, which only responses can`)
    return extend(content, { base, reference: write(base, direction) })
  }

  function writeKeywords(schema: object, direction: Direction): SchemaJson {
    const entries = Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === 'title') return [] // The title is the name of the component.
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

/** Describes a schema by a reference to its base and the fields that it adds. */
function extend(
  content: SchemaJson,
  { base, reference }: { base: TObject; reference: SchemaJson },
): SchemaJson {
  const { required = [], properties = {}, type: _, ...rest } = content
  const isOwn = (name: string): boolean => !(name in base.properties)
  const own = {
    type: 'object',
    required: required.filter(isOwn),
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isOwn(name))),
  }
  return { ...rest, allOf: [reference, own] }
}

function titleOf(schema: object): string | null {
  return 'title' in schema && typeof schema.title === 'string' ? schema.title : null
}
