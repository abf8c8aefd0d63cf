import { invariant } from '../../../shared/domain/errors.ts'
import type { Parameter, Reference, RequestBody, Response } from './openapi-types.ts'
import { createSchemas, type Schemas } from './schemas.ts'

/** The parts of a document to which several operations refer. */
export type Components = {
  readonly schemas: Schemas
  readonly parameters: Shared<Parameter>
  readonly requestBodies: Shared<RequestBody>
  readonly responses: Shared<Response>
}

type Shared<Part> = {
  /** Adds a part if its name is new, and returns a reference to the part. */
  readonly share: (name: string, part: Part) => Reference
  /** Returns every part added so far, by name. */
  readonly all: () => Readonly<Record<string, Part>>
}

/** Creates the empty collections of a document. */
export function createComponents(): Components {
  return {
    schemas: createSchemas(),
    parameters: createShared('parameters'),
    requestBodies: createShared('requestBodies'),
    responses: createShared('responses'),
  }
}

function createShared<Part extends object>(kind: string): Shared<Part> {
  const parts = new Map<string, { readonly part: Part; readonly text: string }>()
  return {
    share: (name, part) => {
      const text = JSON.stringify(part)
      invariant((parts.get(name)?.text ?? text) === text, `two different ${kind} have the name ${name}`)
      parts.set(name, { part, text })
      return { $ref: `#/components/${kind}/${name}` }
    },
    all: () => Object.fromEntries([...parts].toSorted(byName).map(([name, { part }]) => [name, part])),
  }
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
