/** The same callback as if it came from another job. */

/** Its files' refs name the new job wherever they named the old one as a part of their path. */
export function ofJob(
  callback: Readonly<Record<string, unknown>>,
  jobId: string,
): Record<string, unknown> & { readonly job_id: string } {
  const renamed = (part: string) => (part === callback['job_id'] ? jobId : part);
  const rename = (key: string, value: unknown): unknown =>
    key === 'ref' && typeof value === 'string' ? value.split('/').map(renamed).join('/') : value;
  return { ...(JSON.parse(JSON.stringify(callback), rename) as Record<string, unknown>), job_id: jobId };
}
