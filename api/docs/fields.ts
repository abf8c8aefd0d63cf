import { type Html, html, sentence } from '../html.ts'
import type { SchemaJson } from '../openapi/openapi-types.ts'

/** Writes the fields of a schema as a table: name, type, bounds, and what it says. */
export function fieldTable(schema: SchemaJson, caption: string): Html {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`
  return html`<div class="wide" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}

/** Writes one line: of a field, or of a parameter. */
export function fieldRow(field: {
  name: string
  schema: SchemaJson
  isRequired: boolean
  text?: string
}): Html {
  const { name, schema, isRequired } = field
  const text = field.text ?? schema.description ?? ''
  const bounds = boundsOf(schema)
  return html`<tr><td><code>${name}</code>${isRequired ? html` <span class="required">required</span>` : null}</td><td>${typeOf(schema)}</td><td>${sentence(text)}${bounds === '' ? null : html`<span class="bounds">${bounds}</span>`}</td></tr>`
}

/** The anchor of a component. */
export function anchorOf(name: string): string {
  return `schema-${name}`
}

function rowsOf(schema: SchemaJson, prefix: string): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isRequired = schema.required?.includes(name) ?? false
    const row = fieldRow({ name: prefix + name, schema: property, isRequired })
    return [
      row,
      ...insideOf(property).flatMap(({ held, suffix }) => rowsOf(held, `${prefix}${name}${suffix}.`)),
    ]
  })
}

/** The objects that have no name of their own, and so are shown where they stand. */
function insideOf(schema: SchemaJson): { held: SchemaJson; suffix: string }[] {
  if (schema.properties !== undefined) return [{ held: schema, suffix: '' }]
  const items = schema.items?.properties === undefined ? [] : [{ held: schema.items, suffix: '[]' }]
  const kinds = (schema.anyOf ?? []).filter(({ properties }) => properties !== undefined)
  return [...items, ...kinds.map((held) => ({ held, suffix: '' }))]
}

function typeOf(schema: SchemaJson): Html {
  if (schema.$ref !== undefined) return linkTo(schema.$ref)
  if (schema.anyOf !== undefined) {
    return html`${schema.anyOf.map((kind, index) => html`${index === 0 ? '' : ' or '}${typeOf(kind)}`)}`
  }
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}`
  if (schema.enum !== undefined) {
    return html`${schema.enum.map((word, index) => html`${index === 0 ? '' : ' '}<code>${word}</code>`)}`
  }
  return html`${schema.type ?? 'anything'}`
}

function linkTo(reference: string): Html {
  const name = reference.split('/').at(-1) ?? ''
  return html`<a href="#${anchorOf(name)}">${name}</a>`
}

function boundsOf(schema: SchemaJson): string {
  const said = (keyword: string, text: (value: string) => string): string[] =>
    schema[keyword] === undefined ? [] : [text(`${schema[keyword] as string | number | boolean}`)]
  return [
    ...said('exclusiveMinimum', (value) => `greater than ${value}`),
    ...said('minimum', (value) => `at least ${value}`),
    ...said('maximum', (value) => `at most ${value}`),
    ...said('minLength', (value) => `at least ${value} characters`),
    ...said('maxLength', (value) => `at most ${value} characters`),
    ...said('minItems', (value) => `at least ${value} entries`),
    ...said('maxItems', (value) => `at most ${value} entries`),
    ...said('uniqueItems', () => 'no two the same'),
    ...said('pattern', (value) => `matches ${value}`),
    ...said('default', (value) => `${value} by default`),
  ].join(', ')
}
