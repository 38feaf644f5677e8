// The text that the bare programs send: name, job, times, message and the beginning of the output.
const MARKS = ['成功', '警告', '失敗'];

export function textOf({ status, bot_name, job_id, start_time, elapsed_time, message, output }) {
  const times = `開始 ${start_time} 所要 ${elapsed_time}秒`;
  return `*${MARKS[status]}* ${bot_name} (${job_id})\n${times}\n${message}\n${output.result.slice(0, 1000)}`;
}
