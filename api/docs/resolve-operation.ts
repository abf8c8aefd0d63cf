import { invariant } from '../../shared/domain/errors.ts'
import type {
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  RequestBody,
  Response,
} from './openapi/openapi-types.ts'

/**
 * An operation whose parameters, request body and responses are not references. These can still refer to schemas and
 * headers.
 */
export type ResolvedOperation = Omit<Operation, 'parameters' | 'requestBody' | 'responses'> & {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response>>
}

/** Replaces each parameter, request body and response that is a reference with the component that it names. */
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
