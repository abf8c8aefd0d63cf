import { type Html, html, sentence } from '../../shared/runtime/html.ts'
import type { SchemaJson } from './openapi/openapi-types.ts'

/** Renders a table of a schema's fields, or only the type of a schema without fields. */
export function fieldTable(schema: SchemaJson, caption: string): Html {
  const { allOf = [] } = schema
  const rows = [schema, ...allOf].flatMap((part) => renderRows(part, ''))
  if (rows.length === 0) return html`<p>${renderType(schema)}</p>`
  const bases = allOf.flatMap(({ $ref }) => ($ref === undefined ? [] : [linkTo($ref)]))
  return html`${bases.map((base) => html`<p>All fields of ${base}, and:</p>`)}<div class="wide" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}

/** Renders one row, for a field or a parameter. */
export function fieldRow(field: {
  name: string
  schema: SchemaJson
  isRequired: boolean
  text?: string
}): Html {
  const { name, schema, isRequired } = field
  const text = field.text ?? schema.description ?? ''
  const limits = describeLimits(schema)
  return html`<tr><td><code>${name}</code>${isRequired ? html` <span class="required">required</span>` : null}</td><td>${renderType(schema)}</td><td>${sentence(text)}${limits === '' ? null : html`<span class="bounds">${limits}</span>`}</td></tr>`
}

/** Returns the anchor of a component. */
export function getAnchor(name: string): string {
  return `schema-${name}`
}

function renderRows(schema: SchemaJson, prefix: string): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isRequired = schema.required?.includes(name) ?? false
    const row = fieldRow({ name: prefix + name, schema: property, isRequired })
    return [
      row,
      ...listNested(property).flatMap(({ nested, suffix }) =>
        renderRows(nested, `${prefix}${name}${suffix}.`),
      ),
    ]
  })
}

/** Returns the nested objects without a name, whose fields the parent's table contains. */
function listNested(schema: SchemaJson): { nested: SchemaJson; suffix: string }[] {
  if (schema.properties !== undefined) return [{ nested: schema, suffix: '' }]
  const items = schema.items?.properties === undefined ? [] : [{ nested: schema.items, suffix: '[]' }]
  const alternatives = (schema.anyOf ?? []).filter(({ properties }) => properties !== undefined)
  return [...items, ...alternatives.map((nested) => ({ nested, suffix: '' }))]
}

function renderType(schema: SchemaJson): Html {
  if (schema.$ref !== undefined) return linkTo(schema.$ref)
  if (schema.anyOf !== undefined) {
    return html`${schema.anyOf.map((kind, index) => html`${index === 0 ? '' : ' or '}${renderType(kind)}`)}`
  }
  if (schema.items !== undefined) return html`list of ${renderType(schema.items)}`
  if (schema.enum !== undefined) {
    return html`${schema.enum.map((word, index) => html`${index === 0 ? '' : ' '}<code>${word}</code>`)}`
  }
  return html`${schema.type ?? 'any value'}`
}

function linkTo(reference: string): Html {
  const name = reference.split('/').at(-1) ?? ''
  return html`<a href="#${getAnchor(name)}">${name}</a>`
}

function describeLimits(schema: SchemaJson): string {
  const describe = (keyword: string, text: (value: string) => string): string[] =>
    schema[keyword] === undefined ? [] : [text(`${schema[keyword] as string | number | boolean}`)]
  return [
    ...describe('exclusiveMinimum', (value) => `greater than ${value}`),
    ...describe('minimum', (value) => `at least ${value}`),
    ...describe('maximum', (value) => `at most ${value}`),
    ...describe('minLength', (value) => `at least ${value} characters`),
    ...describe('maxLength', (value) => `at most ${value} characters`),
    ...describe('minItems', (value) => `at least ${value} entries`),
    ...describe('maxItems', (value) => `at most ${value} entries`),
    ...describe('uniqueItems', () => 'no duplicates'),
    ...describe('pattern', (value) => `matches ${value}`),
    ...describe('default', (value) => `${value} by default`),
  ].join(', ')
}
