import { invariant } from '../../shared/domain/errors.ts'
import type {
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  RequestBody,
  Response,
} from './openapi/openapi-types.ts'

/** An operation without references, except to schemas. */
export type ResolvedOperation = Omit<Operation, 'parameters' | 'requestBody' | 'responses'> & {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response>>
}

/** Replaces the references in an operation with the components that they name. */
export function resolveOperation(
  { parameters = [], requestBody, responses, ...rest }: Operation,
  { components }: OpenApiDocument,
): ResolvedOperation {
  return {
    ...rest,
    parameters: parameters.map((parameter) => resolve(parameter, components.parameters)),
    ...(requestBody && { requestBody: resolve(requestBody, components.requestBodies) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        resolve(response, components.responses),
      ]),
    ),
  }
}

function resolve<Part extends object>(part: Part | Reference, shared: Readonly<Record<string, Part>>): Part {
  if (!('$ref' in part)) return part
  const found = shared[part.$ref.split('/').at(-1) ?? '']
  invariant(found, `the document has no ${part.$ref}`)
  return found
}
