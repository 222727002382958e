require "json"

module Store
  # Keeps records in a file.
  class FileStore < Base
    DEFAULT_PATH = "records.json"
    attr_reader :path

    # Reads all records.
    def read_all(path = DEFAULT_PATH)
      JSON.parse(File.read(path), symbolize_names: true).map { |row| Record.new(**row) }
    end

    def self.open(path)
      new(path).tap { |store| store.lock! and yield(store) if block_given? }
    end
  end
end
